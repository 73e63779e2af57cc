import { useState } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";
import type { Shell } from "../state/shell.ts";
import { canOpenBeside } from "../state/split-actions.ts";

/** The right edge, while a tab is dragged: dropped here it stands beside what is in view. The menu and Alt+\ do the same without a pointer. */
export function DropBeside({ shell }: { shell: Shell }) {
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
        Open beside
      </span>
    </div>
  );
}
