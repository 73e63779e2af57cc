import type { SessionId } from "../../../protocol/ids.ts";
import { Icon } from "../../icons/icon.tsx";
import type { Shell } from "../state/shell.ts";
import { closeAndStay } from "./session-tab.tsx";

interface TabCloserProps {
  readonly shell: Shell;
  readonly id: SessionId;
  readonly title: string;
  readonly lit: boolean;
  readonly onHover: (id: SessionId | null) => void;
}

/** Lies over the end of its tab, and is no part of it. */
export function TabCloser({ shell, id, title, lit, onHover }: TabCloserProps) {
  return (
    <span class="tab-closer" data-lit={lit ? "" : undefined}>
      <button
        type="button"
        class="icon-button tab-close"
        aria-label={`Close ${title}`}
        title="Close (Alt+W)"
        onClick={() => closeAndStay(shell, id)}
        onPointerEnter={() => onHover(id)}
        onPointerLeave={() => onHover(null)}
        onFocus={() => onHover(id)}
        onBlur={() => onHover(null)}
      >
        <Icon name="close" class="icon-sm" />
      </button>
    </span>
  );
}
