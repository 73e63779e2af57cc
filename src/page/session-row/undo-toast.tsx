import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";
import type { Shell } from "../state/shell.ts";

/** The palette offers it afterwards. */
const SHOWN_MS = 12_000;

/** Shows what was done and offers to undo it, for a moment; longer while it has the pointer or the focus. */
export function UndoToast({ shell }: { shell: Shell }) {
  const undoable = shell.undoable.value;
  const [hidden, setHidden] = useState<typeof undoable>(null);
  const [isHeld, setHeld] = useState(false);
  const toast = useRef<HTMLDivElement>(null);
  const isShown = undoable !== null && undoable !== hidden;
  useEffect(() => {
    if (!isShown || isHeld) return;
    const timer = setTimeout(() => setHidden(undoable), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [undoable, isShown, isHeld]);
  return (
    <div
      class="toast-place"
      role="status"
      ref={toast}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      {isShown && (
        <div class="toast">
          <span class="truncate">{undoable.words}</span>
          <button type="button" class="button small" onClick={() => undoable.undo()}>
            Undo
          </button>
          <button type="button" class="icon-button small" aria-label="Dismiss" onClick={() => setHidden(undoable)}>
            <Icon name="close" class="icon-sm" />
          </button>
        </div>
      )}
    </div>
  );
}
