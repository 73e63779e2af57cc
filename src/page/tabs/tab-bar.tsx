import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { isNarrow } from "../is-narrow.ts";
import { tabIdOf } from "../portlets/portlet-frame.ts";
import { hideSidebar } from "../sidebar/sidebar-layout.ts";
import type { Shell } from "../state/shell.ts";
import { askForSession } from "../state/shell-actions.ts";
import { SessionTab } from "./session-tab.tsx";
import { TabCloser } from "./tab-closer.tsx";
import { useTabDrag } from "./use-tab-drag.ts";

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
