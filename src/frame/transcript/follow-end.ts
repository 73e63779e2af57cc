/** Within this distance of the end the reader counts as being there. */
export const END_NEAR_PX = 50;

export interface ScrollPlace {
  readonly top: number;
  readonly viewHeight: number;
  readonly contentHeight: number;
}

export function distanceToEnd({ top, viewHeight, contentHeight }: ScrollPlace): number {
  return Math.max(0, contentHeight - viewHeight - top);
}

export function isAtEnd(place: ScrollPlace): boolean {
  return distanceToEnd(place) <= END_NEAR_PX;
}

/** Whether the view keeps to the newest content after a scroll: only a move upwards ends it, only arriving at the end begins it. */
export function followsAfterScroll(following: boolean, topBefore: number, place: ScrollPlace): boolean {
  if (isAtEnd(place)) return true;
  return following && place.top >= topBefore;
}
