import type { ReadonlySignal } from "@preact/signals";
import { useComputed } from "@preact/signals";
import type { ComposerState } from "./composer/composer-state.ts";
import type { PortletState } from "./portlet-state.ts";
import type { PortletStore } from "./portlet-store.ts";

/** What the views around the transcript read and do. */
export interface PortletModel {
  /** Published once per frame, and only while the frame is shown. */
  readonly state: ReadonlySignal<PortletState>;
  readonly composer: ReadonlySignal<ComposerState>;
  /** The time of day in whole seconds, for ages and clocks. */
  readonly now: ReadonlySignal<number>;
  readonly store: PortletStore;
}

/** A piece of the state: a view that reads it is drawn again only when that piece changes. */
export function usePiece<Piece>(model: PortletModel, pick: (state: PortletState) => Piece): Piece {
  return useComputed(() => pick(model.state.value)).value;
}
