import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PortletModel } from "./portlet-model.ts";
import type { PanelName } from "./side-panel.tsx";

type PanelViews = typeof import("./panel-views.tsx").PANEL_VIEWS;
/** The views are a separate script, loaded when the first one is opened. */
const loaded = signal<PanelViews | null>(null);

const LABELS: Readonly<Record<PanelName, string>> = { files: "Files", changes: "Changes" };

export function SidePanelSlot({ model }: { model: PortletModel }) {
  const { panel, store } = model;
  const aside = useRef<HTMLElement>(null);
  const view = panel.view.value;
  const isOpen = view !== null;
  useEffect(() => {
    if (!isOpen || loaded.peek() !== null) return;
    import("./panel-views.tsx").then(
      ({ PANEL_VIEWS }) => {
        loaded.value = PANEL_VIEWS;
      },
      () => {
        panel.close();
        store.notify("This part of the page could not be loaded. Reload the page and try again.");
      },
    );
  }, [isOpen]);
  if (view === null) return null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    event.preventDefault();
    panel.close();
  };
  const views = loaded.value;
  return (
    <aside class="side-panel" data-view={view.name} ref={aside} aria-label={LABELS[view.name]} onKeyDown={onKeyDown}>
      {views && view.name === "files" && <views.files model={model} view={view} />}
      {views && view.name === "changes" && <views.changes model={model} view={view} />}
    </aside>
  );
}
