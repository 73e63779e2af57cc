import type { SessionId } from "../../protocol/ids.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { ConfirmDialog } from "../controls/confirm-dialog.tsx";
import type { Shell } from "../state/shell.ts";
import { agentOf, rowOf } from "../state/shell-state.ts";

/** Asks before something is gone for good, in words that say what is and what is not. */
export function DeleteDialog({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  const state = shell.server.value;
  const session = rowOf(state, sessionId);
  const agent = (session && agentOf(state, session.cliType)?.name) ?? "the agent";
  const stops =
    session !== undefined && isTurnActive(session.turn) ? `${agent} is still working and is stopped first. ` : "";
  return (
    <ConfirmDialog
      shell={shell}
      title={`Delete “${session?.title ?? "session"}”?`}
      words={`${stops}Everything said in this session is deleted here and, where ${agent} can do that, in its own history too. Files it changed stay as they are. This cannot be undone${session?.archived ? "" : "; to only hide it, archive it"}.`}
      action="Delete session"
      isDangerous
      onConfirm={() => void shell.attempt({ type: "session:delete", sessionId })}
    />
  );
}
