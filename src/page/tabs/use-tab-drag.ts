import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { Shell } from "../state/shell.ts";
import { dropIndex } from "./drop-index.ts";

/** Dragging a tab along the strip. While it lasts the frames ignore the pointer, or they would swallow the drag. */
export function useTabDrag(shell: Shell, strip: RefObject<HTMLElement | null>) {
  const dragged = shell.draggedTab.value;
  const [dropAt, setDropAt] = useState<number | null>(null);
  const end = () => {
    delete document.body.dataset["dragging"];
    shell.draggedTab.value = null;
    setDropAt(null);
  };
  const placeAt = (x: number): number | null => {
    if (dragged === null || strip.current === null) return null;
    const edges = [...strip.current.querySelectorAll('[role="tab"]')].map((tab) => tab.getBoundingClientRect());
    return dropIndex(edges, shell.tabs.peek().order.indexOf(dragged), x);
  };
  const events = {
    onDragStart: (event: DragEvent) => {
      const id = event.target instanceof HTMLElement ? event.target.dataset["session"] : undefined;
      const tab = shell.tabs.peek().order.find((each) => each === id);
      if (tab === undefined) return;
      event.dataTransfer?.setData("text/plain", shell.server.peek().sessions.get(tab)?.title ?? "");
      document.body.dataset["dragging"] = "";
      shell.draggedTab.value = tab;
    },
    onDragOver: (event: DragEvent) => {
      const place = placeAt(event.clientX);
      if (place === null) return;
      event.preventDefault();
      setDropAt(place);
    },
    onDrop: (event: DragEvent) => {
      const place = placeAt(event.clientX);
      if (place === null || dragged === null) return;
      event.preventDefault();
      shell.move(dragged, place);
      end();
    },
    onDragEnd: end,
  };
  const from = dragged === null ? -1 : shell.tabs.value.order.indexOf(dragged);
  /** The edge of a tab at which the dragged one would land. */
  const edgeOf = (index: number): "before" | "after" | undefined => {
    if (dropAt !== index || from === -1 || index === from) return undefined;
    return index < from ? "before" : "after";
  };
  return { events, edgeOf };
}
