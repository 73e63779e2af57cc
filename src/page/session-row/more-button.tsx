import type { SessionRow } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { Shell } from "../state/shell.ts";

interface MoreButtonProps {
  readonly shell: Shell;
  readonly session: SessionRow;
  readonly place?: "row" | "card";
}

export function MoreButton({ shell, session, place = "row" }: MoreButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`More actions for ${session.title}`}
      aria-haspopup="menu"
      title="More actions"
      onClick={({ currentTarget: button }) => {
        shell.rowMenu.value = { sessionId: session.id, button, place };
      }}
    >
      <Icon name="more" class="icon-sm" />
    </button>
  );
}
