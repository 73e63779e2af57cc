/** Makes `children` the children of `container`, in order, moving only what is out of place. */
export function placeChildren(container: Element, children: Iterable<Element>): void {
  let next = container.firstChild;
  for (const child of children) {
    if (child === next) next = next.nextSibling;
    else container.insertBefore(child, next);
  }
  while (next !== null) {
    const after = next.nextSibling;
    next.remove();
    next = after;
  }
}
