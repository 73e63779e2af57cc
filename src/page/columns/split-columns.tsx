import { useRef } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import { agentIconName } from "../../ui/icons/agent-icon-name.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { withKey } from "../../ui/keys/key-bindings.ts";
import { adoptStyles } from "../../ui/styles/adopt-styles.ts";
import { Mark } from "../controls/mark.tsx";
import { sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import type { ShownColumn } from "../state/split-view.ts";
import { ColumnEdge } from "./column-edge.tsx";
import styles from "./columns.css" with { type: "text" };
import { DropBeside } from "./drop-beside.tsx";

/** What stands around sessions side by side: a head for each and an edge between two. The frames lie under it and are only sized. */
export function SplitColumns({ shell }: { shell: Shell }) {
  const layer = useRef<HTMLDivElement>(null);
  const shown = shell.shown.value;
  adoptStyles(styles);
  return (
    <div class="columns" ref={layer}>
      {shown.length > 1 && shown.map((column) => <ColumnHead key={column.id} shell={shell} column={column} />)}
      {shown.slice(0, -1).map((column, index) => (
        <ColumnEdge
          key={column.id}
          shell={shell}
          column={column}
          next={shown[index + 1]?.id ?? column.id}
          widthPx={() => layer.current?.clientWidth ?? 1}
        />
      ))}
      <DropBeside shell={shell} />
    </div>
  );
}

function ColumnHead({ shell, column }: { shell: Shell; column: ShownColumn }) {
  const { id, start, width } = column;
  const session = shell.server.value.sessions.get(id);
  if (session === undefined) return null;
  const hasFocus = shell.tabs.value.active === id;
  return (
    <div
      class="column-head"
      data-focused={hasFocus ? "" : undefined}
      style={{ "--column-start": percent(start), "--column-width": percent(width) }}
    >
      <button
        type="button"
        class="column-title"
        aria-label={`Go to ${session.title}`}
        aria-current={hasFocus ? "true" : undefined}
        title={session.title}
        onClick={() => shell.open(id, { focus: true })}
      >
        <Icon name={agentIconName(session.cliType)} class="icon-sm agent" />
        <span class="truncate">{session.title}</span>
        <Mark state={sessionMark(session)} />
      </button>
      <button
        type="button"
        class="icon-button small"
        aria-label={`Hide ${session.title}`}
        title={withKey("Close this column; the tab stays", "close-column")}
        onClick={() => hide(shell, id)}
      >
        <Icon name="close" class="icon-sm" />
      </button>
    </div>
  );
}

/** The button goes with its column, so the focus goes on to what stays. */
function hide(shell: Shell, id: SessionId): void {
  shell.closeColumn(id);
  const { active } = shell.tabs.peek();
  if (active !== null) shell.open(active, { focus: true });
}

function percent(share: number): string {
  return `${share * 100}%`;
}
