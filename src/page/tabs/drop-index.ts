interface TabEdges {
  readonly left: number;
  readonly right: number;
}

/** This much of a tab, from the side the pointer comes from, already means its place. */
const TAKING_SHARE = 0.75;

/** Where a dragged tab would land, counted without it: it takes the place of the tab under the pointer. */
export function dropIndex(edges: readonly TabEdges[], dragged: number, x: number): number {
  const over = edges.findIndex(({ right }) => x < right);
  if (over === -1) return edges.length - 1;
  const tab = edges[over];
  if (tab === undefined || over === dragged) return dragged;
  const share = (x - tab.left) / (tab.right - tab.left);
  if (over < dragged) return share < TAKING_SHARE ? over : over + 1;
  return share > 1 - TAKING_SHARE ? over : over - 1;
}
