import { useRef, useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { withKey } from "../../ui/keys/key-bindings.ts";
import { Mark } from "../controls/mark.tsx";
import { sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { canOpenBeside } from "../state/shell-actions.ts";
import type { ShownColumn } from "../state/split-view.ts";

/**
 * The layer over sessions in a split view: a head for each column and an edge between two. The frames below are only
 * resized.
 */
export function SplitColumns({ shell }: { shell: Shell }) {
  const layer = useRef<HTMLDivElement>(null);
  const shown = shell.shown.value;
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
        title={withKey("Close column (keeps the tab)", "close-column")}
        onClick={() => hide(shell, id)}
      >
        <Icon name="close" class="icon-sm" />
      </button>
    </div>
  );
}

/** The button disappears with its column, so the focus moves to the remaining one. */
function hide(shell: Shell, id: SessionId): void {
  shell.closeColumn(id);
  const { active } = shell.tabs.peek();
  if (active !== null) shell.open(active, { focus: true });
}

function percent(share: number): string {
  return `${share * 100}%`;
}

const KEY_STEP = 0.03;

interface ColumnEdgeProps {
  readonly shell: Shell;
  /** The one before the edge. */
  readonly column: ShownColumn;
  readonly next: SessionId;
  readonly widthPx: () => number;
}

/**
 * The edge between two columns, moved by pointer or arrow keys. Meanwhile the frames ignore the pointer, or they would
 * capture it.
 */
function ColumnEdge({ shell, column, next, widthPx }: ColumnEdgeProps) {
  const { sessions } = shell.server.value;
  const end = column.start + column.width;
  const moveBy = (share: number) => shell.moveEdge(shell.split.peek().columns.indexOf(column.id), share);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is a widget, which <hr> is not
    <div
      class="column-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Resize ${sessions.get(column.id)?.title ?? ""} and ${sessions.get(next)?.title ?? ""}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(end * 100)}
      tabIndex={0}
      style={{ "--edge": `${end * 100}%` }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        document.body.dataset["dragging"] = "";
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const { left } = event.currentTarget.parentElement?.getBoundingClientRect() ?? { left: 0 };
        moveBy((event.clientX - left) / widthPx() - end);
      }}
      onLostPointerCapture={() => {
        delete document.body.dataset["dragging"];
      }}
      onKeyDown={(event) => {
        const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (steps === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        moveBy(steps * KEY_STEP);
      }}
    />
  );
}

/**
 * The right edge while a tab is dragged: dropping it here opens it to the side. The menu and Alt+\ do the same without
 * a pointer.
 */
function DropBeside({ shell }: { shell: Shell }) {
  const [isOver, setOver] = useState(false);
  const dragged = shell.draggedTab.value;
  const isPossible = dragged !== null && shell.tabs.value.order.length > 1 && canOpenBeside(shell);
  if (!isPossible || shell.split.value.columns.includes(dragged)) return null;
  return (
    <div
      class="drop-beside"
      aria-hidden="true"
      data-over={isOver ? "" : undefined}
      onDragEnter={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragOver={(event) => event.preventDefault()}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        shell.openBeside(dragged);
      }}
    >
      <span class="drop-words">
        <Icon name="columns" />
        Open to the side
      </span>
    </div>
  );
}
