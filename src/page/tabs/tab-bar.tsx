import { useComputed } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { withKey } from "../../ui/keys/key-bindings.ts";
import { isNarrow } from "../is-narrow.ts";
import { tabIdOf } from "../portlets/portlet-frame.ts";
import { Renamed } from "../sidebar/row-care.tsx";
import { hideSidebar } from "../sidebar/sidebar-layout.ts";
import type { Shell } from "../state/shell.ts";
import { askForSession } from "../state/shell-actions.ts";
import { dropIndex } from "./drop-index.ts";
import { closeAndStay, SessionTab } from "./session-tab.tsx";

/** The open sessions. Tabs and their close buttons are two rows of one grid: no button stands inside the tablist. */
export function TabBar({ shell }: { shell: Shell }) {
  const { order, active } = shell.tabs.value;
  const { sessions } = shell.server.value;
  const rows = order.flatMap((id) => sessions.get(id) ?? []);
  const strip = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<SessionId | null>(null);
  const drag = useTabDrag(shell, strip);
  // The active tab is always in view, also when the window gets narrower. The observer calls once at first, after the
  // layout of the frame and before its paint: to scroll here would have the page laid out twice.
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => {
      if (active) document.getElementById(tabIdOf(active))?.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
    if (strip.current) watch.observe(strip.current);
    return () => watch.disconnect();
  }, [active, rows.length]);
  return (
    <div class="tabbar" data-empty={rows.length === 0 ? "" : undefined}>
      <ShowProjects shell={shell} />
      {rows.length > 0 && (
        <div class="tabs" ref={strip} style={{ "--tabs": rows.length }} {...drag.events}>
          <div class="tab-row" role="tablist" aria-label="Open sessions">
            {rows.map((session, index) => (
              <SessionTab
                key={session.id}
                shell={shell}
                session={session}
                lit={hovered === session.id}
                dropEdge={drag.edgeOf(index)}
                onHover={setHovered}
              />
            ))}
          </div>
          <div class="tab-row closers">
            {rows.map((session) => (
              <TabCloser
                key={session.id}
                shell={shell}
                session={session}
                lit={hovered === session.id}
                onHover={setHovered}
              />
            ))}
          </div>
        </div>
      )}
      {rows.length > 0 && (
        <button
          type="button"
          class="icon-button"
          aria-label="New session"
          title="New session (N)"
          onClick={() => askForSession(shell)}
        >
          <Icon name="plus" />
        </button>
      )}
    </div>
  );
}

/** The way back to the sidebar, where it is a drawer or was hidden. */
function ShowProjects({ shell }: { shell: Shell }) {
  return (
    <button
      type="button"
      class="icon-button show-projects"
      aria-label="Show projects"
      aria-controls="sidebar"
      aria-expanded={shell.drawerOpen.value}
      onClick={() => {
        if (isNarrow()) shell.drawerOpen.value = true;
        else hideSidebar(false);
      }}
    >
      <Icon name="menu" />
    </button>
  );
}

interface TabCloserProps {
  readonly shell: Shell;
  readonly session: SessionRow;
  readonly lit: boolean;
  readonly onHover: (id: SessionId | null) => void;
}

/** Lies over the end of its tab, and is no part of it. */
function TabCloser({ shell, session, lit, onHover }: TabCloserProps) {
  const { id, title } = session;
  const active = useComputed(() => shell.tabs.value.active === id).value;
  const button = (
    <button
      type="button"
      class="icon-button tab-close"
      data-repeatable=""
      aria-label={`Close ${title}`}
      // One Tab stop, as the tabs themselves have.
      tabIndex={active ? 0 : -1}
      title={withKey("Close", "close-tab")}
      onClick={() => closeAndStay(shell, id)}
      onPointerEnter={() => onHover(id)}
      onPointerLeave={() => onHover(null)}
      onFocus={() => onHover(id)}
      onBlur={() => onHover(null)}
    >
      <Icon name="close" class="icon-sm" />
    </button>
  );
  return (
    <span class="tab-closer" data-rename-place data-lit={lit ? "" : undefined}>
      <Renamed shell={shell} session={session} place="tab" otherwise={button} />
    </span>
  );
}

/** Dragging a tab along the strip. While it lasts the frames ignore the pointer, or they would swallow the drag. */
function useTabDrag(shell: Shell, strip: RefObject<HTMLElement | null>) {
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
