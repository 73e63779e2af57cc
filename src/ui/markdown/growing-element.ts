const ENDS_SEARCH = "p, h1, h2, h3, h4, h5, h6, td, th, pre > code";

/** The innermost element at the end of a message that can show a caret; the message itself only while it is empty. */
export function growingElement(root: Element): Element | null {
  if (root.lastElementChild === null) return root;
  let holder: Element | null = null;
  for (let last = lastFilled(root); last !== null; last = lastFilled(last)) {
    if (last.matches(ENDS_SEARCH)) return last.querySelector(":scope > .text-chunk:last-child") ?? last;
    holder = last.matches("li") ? last : holder;
  }
  return holder;
}

/** A table has its body before it has a row. */
function lastFilled(parent: Element): Element | null {
  const last = parent.lastElementChild;
  return last?.matches("tbody:empty") ? last.previousElementSibling : last;
}
