import { useComputed } from "@preact/signals";
import type { SessionId } from "../../protocol/ids.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { agentIconName } from "../../ui/icons/agent-icon-name.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { Mark } from "../controls/mark.tsx";
import { panelIdOf, tabIdOf } from "../portlets/portlet-frame.ts";
import { tabBeside } from "../state/open-tabs.ts";
import { MARK_WORDS, sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { startRename } from "../state/shell-actions.ts";

const MIDDLE_BUTTON = 1;

interface SessionTabProps {
  readonly shell: Shell;
  readonly session: SessionRow;
  /** The pointer is on the tab or on its close button, which then takes the mark's place. */
  readonly lit: boolean;
  readonly dropEdge: "before" | "after" | undefined;
  readonly onHover: (id: SessionId | null) => void;
}

export function SessionTab({ shell, session, lit, dropEdge, onHover }: SessionTabProps) {
  const { id, title, cliType } = session;
  // Only the two tabs for which something changes are rendered again when another one is chosen.
  const active = useComputed(() => shell.tabs.value.active === id).value;
  const isSelected = useComputed(() => shell.shownSession() === id).value;
  const isShown = useComputed(() => shell.shown.value.some((column) => column.id === id)).value;
  const mark = sessionMark(session);
  return (
    <div
      class="tab"
      role="tab"
      id={tabIdOf(id)}
      aria-selected={isSelected}
      aria-controls={isShown ? panelIdOf(id) : undefined}
      aria-label={title}
      aria-description={MARK_WORDS[mark] || undefined}
      tabIndex={active ? 0 : -1}
      title={title}
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
        shell.rowMenu.value = { sessionId: id, button: event.currentTarget, place: "tab" };
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
      <span class="tab-end">
        <Mark state={mark} />
      </span>
    </div>
  );
}

/** What a key does in the strip, as the pattern for tabs asks; null leaves the key alone. */
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

/** Closes a tab and keeps the focus in the strip, on the one that took its place. */
export function closeAndStay(shell: Shell, id: SessionId): void {
  shell.close(id);
  const { active } = shell.tabs.peek();
  if (active !== null) document.getElementById(tabIdOf(active))?.focus();
}
