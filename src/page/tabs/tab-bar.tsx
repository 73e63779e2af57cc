import { useComputed } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { spokenCounts } from "../../presentation/changes-words.ts";
import type { SessionId } from "../../protocol/ids.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { withKey } from "../../ui/keys/key-bindings.ts";
import { Mark, PlaceName, WorktreeName } from "../controls/mark.tsx";
import { panelIdOf, tabIdOf } from "../portlets/portlet-frame.ts";
import { TitleOrField } from "../session-row/rename-field.tsx";
import { hideSidebar, isNarrow } from "../sidebar/sidebar-layout.ts";
import { tabBeside } from "../state/open-tabs.ts";
import { MARK_WORDS, sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { askForSession, startRename } from "../state/shell-actions.ts";
import { placeNameOf } from "../state/shell-state.ts";

/** The open sessions. Tabs and their close buttons are two rows of one grid: no button is inside the tablist. */
export function TabBar({ shell }: { shell: Shell }) {
  const { order, active } = shell.tabs.value;
  const { sessions } = shell.server.value;
  const rows = order.flatMap((id) => sessions.get(id) ?? []);
  const strip = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<SessionId | null>(null);
  const drag = useTabDrag(shell, strip);
  // The active tab is always in view, also when the window gets narrower. The observer calls once at first, after the
  // layout of the frame and before its paint: scrolling here would cause a second layout.
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
        <button
          type="button"
          class="tab-sheet-button"
          aria-haspopup="dialog"
          aria-description="Open sessions"
          onClick={() => {
            shell.dialog.value = { kind: "tabs" };
          }}
        >
          <span class="truncate">{shownTitle(shell)}</span>
          <span class="n">{rows.length}</span>
          <Icon name="updown" class="icon-sm" />
        </button>
      )}
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
      <button
        type="button"
        class="icon-button dock-button"
        aria-label="Terminal"
        title={withKey("Terminal", "terminal")}
        aria-expanded={shell.dock.value.isOpen}
        onClick={() => shell.showDock(!shell.dock.peek().isOpen)}
      >
        <Icon name="terminal" />
      </button>
    </div>
  );
}

/** The main status in the bar of a phone. */
function shownTitle(shell: Shell): string {
  const shown = shell.shownSession();
  if (shown !== null) return shell.server.value.sessions.get(shown)?.title ?? "";
  return shell.page.value === "overview" ? "Inbox" : "Open sessions";
}

/** Shows the sidebar if it is a drawer or was hidden. */
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

/** Overlaps the end of its tab, and is not part of it. */
function TabCloser({ shell, session, lit, onHover }: TabCloserProps) {
  const { id, title } = session;
  const active = useComputed(() => shell.tabs.value.active === id).value;
  const button = (
    <button
      type="button"
      class="icon-button tab-close"
      data-repeatable=""
      aria-label={`Close ${title}`}
      // One Tab stop, like the tabs themselves.
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
      <TitleOrField shell={shell} session={session} place="tab">
        {button}
      </TitleOrField>
    </span>
  );
}

/** Dragging a tab along the tab bar. Meanwhile the frames ignore the pointer, or they would capture the drag. */
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
  /** The edge of a tab at which the dragged one would be dropped. */
  const edgeOf = (index: number): "before" | "after" | undefined => {
    if (dropAt !== index || from === -1 || index === from) return undefined;
    return index < from ? "before" : "after";
  };
  return { events, edgeOf };
}

const MIDDLE_BUTTON = 1;

interface SessionTabProps {
  readonly shell: Shell;
  readonly session: SessionRow;
  /** The pointer is on the tab or on its close button, which then replaces the mark. */
  readonly lit: boolean;
  readonly dropEdge: "before" | "after" | undefined;
  readonly onHover: (id: SessionId | null) => void;
}

function SessionTab({ shell, session, lit, dropEdge, onHover }: SessionTabProps) {
  const { id, title, cliType, changes, worktree } = session;
  // Only the two affected tabs are rendered again when another one is chosen.
  const active = useComputed(() => shell.tabs.value.active === id).value;
  const isSelected = useComputed(() => shell.shownSession() === id).value;
  const isShown = useComputed(() => shell.shown.value.some((column) => column.id === id)).value;
  const mark = sessionMark(session);
  const machine = useComputed(() => placeNameOf(shell.server.value, session.projectId)).value;
  const place = [machine === null ? "" : `at ${machine}`, worktree === null ? "" : `in worktree ${worktree.name}`]
    .filter((words) => words !== "")
    .join(", ");
  return (
    <div
      class="tab"
      role="tab"
      id={tabIdOf(id)}
      aria-selected={isSelected}
      aria-controls={isShown ? panelIdOf(id) : undefined}
      aria-description={[MARK_WORDS[mark], place].filter((words) => words !== "").join(", ") || undefined}
      tabIndex={active ? 0 : -1}
      title={[title, place, changes === null ? "" : spokenCounts(changes)].filter((words) => words !== "").join("\n")}
      draggable
      data-session={id}
      data-shown={isShown ? "" : undefined}
      data-lit={lit ? "" : undefined}
      data-drop={dropEdge}
      onClick={() => shell.open(id, { focus: true })}
      onMouseDown={(event) => {
        if (event.button === MIDDLE_BUTTON) event.preventDefault(); // no scrolling by middle button here
      }}
      onAuxClick={(event) => {
        if (event.button === MIDDLE_BUTTON) shell.close(id);
      }}
      onContextMenu={(event) => {
        event.preventDefault();
        const { currentTarget: button } = event;
        const open = () => {
          shell.rowMenu.value = { sessionId: id, button, place: "tab" };
        };
        // Where pressing opens the menu, releasing would close it at once as a click elsewhere.
        if (event.buttons === 0) open();
        else addEventListener("pointerup", () => setTimeout(open), { once: true });
      }}
      onKeyDown={(event) => {
        const next = nextByKey(shell, id, event.key);
        if (next === null) return;
        event.preventDefault();
        next();
      }}
      onPointerEnter={() => onHover(id)}
      onPointerLeave={() => onHover(null)}
    >
      <Icon name={agentIconName(cliType)} class="icon-sm agent" />
      <span class="truncate">{title}</span>
      {machine !== null && <PlaceName place={machine} />}
      {worktree !== null && <WorktreeName name={worktree.name} />}
      <span class="tab-end">
        <Mark state={mark} />
      </span>
    </div>
  );
}

/** The action of a key in the tab bar, as in the ARIA tabs pattern; null for other keys. */
function nextByKey(shell: Shell, id: SessionId, key: string): (() => void) | null {
  const { order } = shell.tabs.peek();
  const show = (next: SessionId | null | undefined) => () => {
    if (!next) return;
    shell.open(next);
    document.getElementById(tabIdOf(next))?.focus();
  };
  switch (key) {
    case "ArrowRight":
      return show(tabBeside(shell.tabs.peek(), 1));
    case "ArrowLeft":
      return show(tabBeside(shell.tabs.peek(), -1));
    case "Home":
      return show(order[0]);
    case "End":
      return show(order.at(-1));
    case "Enter":
    case " ":
      return () => shell.open(id, { focus: true });
    case "F2":
      return () => startRename(shell, id, "tab");
    case "Delete":
      return () => closeAndStay(shell, id);
    default:
      return null;
  }
}

/** Closes a tab and keeps the focus in the tab bar, on the one that took its place. */
function closeAndStay(shell: Shell, id: SessionId): void {
  shell.close(id);
  const { active } = shell.tabs.peek();
  if (active !== null) document.getElementById(tabIdOf(active))?.focus();
}

interface TabEdges {
  readonly left: number;
  readonly right: number;
}

/** This share of a tab, from the side the pointer comes from, already counts as its position. */
const TAKING_SHARE = 0.75;

/** Where a dragged tab would be dropped, counted without it: it takes the position of the tab under the pointer. */
export function dropIndex(edges: readonly TabEdges[], dragged: number, x: number): number {
  const over = edges.findIndex(({ right }) => x < right);
  if (over === -1) return edges.length - 1;
  const tab = edges[over];
  if (tab === undefined || over === dragged) return dragged;
  const share = (x - tab.left) / (tab.right - tab.left);
  if (over < dragged) return share < TAKING_SHARE ? over : over + 1;
  return share > 1 - TAKING_SHARE ? over : over - 1;
}
