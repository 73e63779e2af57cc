import { useComputed } from "@preact/signals";
import type { SessionId } from "../../protocol/ids.ts";
import type { SessionRow } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { withKey } from "../../ui/keys/key-bindings.ts";
import { Renamed } from "../sidebar/row-care.tsx";
import type { Shell } from "../state/shell.ts";
import { closeAndStay } from "./session-tab.tsx";

interface TabCloserProps {
  readonly shell: Shell;
  readonly session: SessionRow;
  readonly lit: boolean;
  readonly onHover: (id: SessionId | null) => void;
}

/** Lies over the end of its tab, and is no part of it. */
export function TabCloser({ shell, session, lit, onHover }: TabCloserProps) {
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
