import type { ReadonlySignal } from "@preact/signals";
import { useComputed } from "@preact/signals";
import type { ComposerState } from "./composer/composer-state.ts";
import type { PortletState } from "./portlet-state.ts";
import type { PortletStore } from "./portlet-store.ts";
import type { SidePanel } from "./side-panel.tsx";

/** The state and actions of the views around the transcript. */
export interface PortletModel {
  /** Published once per frame, and only while the frame is shown. */
  readonly state: ReadonlySignal<PortletState>;
  readonly composer: ReadonlySignal<ComposerState>;
  /** The time of day in whole seconds, for ages and clocks. */
  readonly now: ReadonlySignal<number>;
  readonly store: PortletStore;
  readonly panel: SidePanel;
}

/** A piece of the state: a view that reads it is rendered again only when that piece changes. */
export function usePiece<Piece>(model: PortletModel, pick: (state: PortletState) => Piece): Piece {
  return useComputed(() => pick(model.state.value)).value;
}
