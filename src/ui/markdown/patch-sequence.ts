/** Creates the DOM of a node, and changes it in place if it can. */
export interface NodePatcher<N> {
  create(node: N): ChildNode;
  /** False if the old DOM cannot become the new node; nothing has been changed then. */
  patch(dom: ChildNode, before: N, after: N): boolean;
}

/** Changes the siblings that show `before`, starting at `first`, to `after`. Equal nodes are not touched. */
export function patchSequence<N extends object>(
  parent: Node,
  first: ChildNode | null,
  before: readonly N[],
  after: readonly N[],
  patcher: NodePatcher<N>,
): void {
  let dom = first;
  for (const [index, node] of after.entries()) {
    const old = before[index];
    if (old === undefined || dom === null) {
      parent.insertBefore(patcher.create(node), dom);
      continue;
    }
    const next: ChildNode | null = dom.nextSibling;
    if (old !== node && !patcher.patch(dom, old, node)) dom.replaceWith(patcher.create(node));
    dom = next;
  }
  for (let index = after.length; index < before.length && dom !== null; index += 1) {
    const next: ChildNode | null = dom.nextSibling;
    dom.remove();
    dom = next;
  }
}

/** Changes only the end that differs, so that a selection in the text before it stays. */
export function patchText(dom: Text, before: string, after: string): void {
  if (before === after) return;
  if (after.startsWith(before)) {
    dom.appendData(after.slice(before.length));
    return;
  }
  let same = 0;
  while (same < before.length && same < after.length && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  dom.replaceData(same, before.length - same, after.slice(same));
}
