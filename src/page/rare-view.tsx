import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Shell } from "./state/shell.ts";

type RareViews = typeof import("./rare-views.ts").RARE_VIEWS;

const loaded = signal<RareViews | null>(null);

/** Fetches the script of the rare views, so that opening one does not have to wait for it. */
export async function loadRareViews(): Promise<void> {
  loaded.value ??= (await import("./rare-views.ts")).RARE_VIEWS;
}

interface RareViewProps {
  readonly shell: Shell;
  readonly show: (views: RareViews) => VNode;
}

/** Shows a view of the script of rare views. If that cannot be fetched, it closes the dialog and says what to do. */
export function RareView({ shell, show }: RareViewProps) {
  useEffect(() => {
    loadRareViews().catch(() => {
      shell.closeDialog();
      shell.notify("This part of the page could not be loaded. Reload the page and try again.");
    });
  }, []);
  return loaded.value === null ? null : show(loaded.value);
}
