import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Shell } from "./state/shell.ts";

type RareViews = typeof import("./rare-views.ts").RARE_VIEWS;

const loaded = signal<RareViews | null>(null);

/** Preloads the script of the rare views, so that opening one does not have to wait for it. */
export async function loadRareViews(): Promise<void> {
  loaded.value ??= (await import("./rare-views.ts")).RARE_VIEWS;
}

interface RareViewProps {
  readonly shell: Shell;
  readonly show: (views: RareViews) => VNode;
  /** The page works without it. */
  readonly isOptional?: boolean;
}

/** Shows a view of the rare-views script. If it cannot be loaded, it closes the dialog and says what to do. */
export function RareView({ shell, show, isOptional = false }: RareViewProps) {
  useEffect(() => {
    loadRareViews().catch(() => {
      if (isOptional) return;
      shell.closeDialog();
      shell.notify("This part of the page could not be loaded. Reload the page and try again.");
    });
  }, []);
  return loaded.value === null ? null : show(loaded.value);
}
