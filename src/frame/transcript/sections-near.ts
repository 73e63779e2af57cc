/** Top and bottom of something on screen, in pixels. */
export interface Span {
  readonly top: number;
  readonly bottom: number;
}

/** The first of `count` stacked things that reaches below `top`, by halving: a long transcript costs a few looks. */
export function firstReaching(count: number, spanOf: (index: number) => Span, top: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spanOf(middle).bottom > top) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Which of `count` stacked things touch the span, oldest first. */
export function indexesWithin(count: number, spanOf: (index: number) => Span, within: Span): number[] {
  const indexes: number[] = [];
  for (let index = firstReaching(count, spanOf, within.top); index < count; index += 1) {
    if (spanOf(index).top >= within.bottom) break;
    indexes.push(index);
  }
  return indexes;
}
