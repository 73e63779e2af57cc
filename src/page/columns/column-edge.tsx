import type { SessionId } from "../../protocol/ids.ts";
import type { Shell } from "../state/shell.ts";
import type { ShownColumn } from "../state/split-view.ts";

const KEY_STEP = 0.03;

interface ColumnEdgeProps {
  readonly shell: Shell;
  /** The one before the edge. */
  readonly column: ShownColumn;
  readonly next: SessionId;
  readonly widthPx: () => number;
}

/** The edge between two columns, moved by pointer or by arrow keys. While it is, the frames ignore the pointer, or they would swallow it. */
export function ColumnEdge({ shell, column, next, widthPx }: ColumnEdgeProps) {
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
