/** A list with one item at another place; the same list when it would not move. */
export function moveQueued<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  const place = Math.min(Math.max(to, 0), items.length - 1);
  if (item === undefined || place === from) return items;
  return items.toSpliced(from, 1).toSpliced(place, 0, item);
}

/** Where a dragged row would land: it takes the place of the row whose middle the pointer has passed. */
export function dropPlace(edges: readonly { readonly top: number; readonly bottom: number }[], y: number): number {
  const over = edges.findIndex(({ bottom }) => y < bottom);
  return over === -1 ? edges.length - 1 : over;
}
