import type { ProjectId, SessionId } from "../../protocol/ids.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { Dialog } from "../controls/dialog.tsx";
import { QuestionFoot } from "../controls/question-foot.tsx";
import type { Shell } from "../state/shell.ts";
import { archive } from "../state/shell-actions.ts";
import type { ShellDialog } from "../state/shell-dialog.ts";
import { agentOf, rowOf } from "../state/shell-state.ts";

interface QuestionProps {
  readonly shell: Shell;
  readonly of: Extract<ShellDialog, { kind: "archive" | "delete" | "kill" | "remove-project" }>;
}

/** What would be stopped, hidden or deleted. */
export function Question({ shell, of }: QuestionProps) {
  switch (of.kind) {
    case "archive":
      return <ArchiveQuestion shell={shell} sessionId={of.sessionId} />;
    case "delete":
      return <DeleteQuestion shell={shell} sessionId={of.sessionId} />;
    case "kill":
      return <KillQuestion shell={shell} sessionId={of.sessionId} />;
    case "remove-project":
      return <RemoveQuestion shell={shell} projectId={of.projectId} />;
    default:
      return of satisfies never;
  }
}

function ArchiveQuestion({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  return (
    <ConfirmDialog
      shell={shell}
      title={`Archive “${shell.server.value.sessions.get(sessionId)?.title ?? "session"}”?`}
      words="The agent, or one it started, is still working. Archiving stops it and closes the tab. The transcript is kept."
      action="Stop and archive"
      onConfirm={() => void archive(shell, sessionId)}
    />
  );
}

function KillQuestion({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  return (
    <ConfirmDialog
      shell={shell}
      title={`Kill the agent of “${shell.server.value.sessions.get(sessionId)?.title ?? "session"}”?`}
      words="This kills its process and the agents it started. Everything received so far is kept. Your next message starts it again."
      action="Kill agent"
      isDangerous
      onConfirm={() => void shell.attempt({ type: "session:kill", sessionId })}
    />
  );
}

function RemoveQuestion({ shell, projectId }: { shell: Shell; projectId: ProjectId }) {
  return (
    <ConfirmDialog
      shell={shell}
      title={`Remove ${shell.server.value.projects.find(({ id }) => id === projectId)?.name ?? "project"}?`}
      words="It's removed from the list and its tabs close. Nothing is deleted; add it again to get everything back."
      action="Remove project"
      onConfirm={() => void shell.attempt({ type: "project:remove", projectId })}
    />
  );
}

/** Confirms the permanent deletion of a session. */
function DeleteQuestion({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  const state = shell.server.value;
  const session = rowOf(state, sessionId);
  const agent = (session && agentOf(state, session.cliType)?.name) ?? "the agent";
  const stops =
    session !== undefined && isTurnActive(session.turn) ? `${agent} is still working and will be stopped. ` : "";
  return (
    <ConfirmDialog
      shell={shell}
      title={`Delete “${session?.title ?? "session"}”?`}
      words={`${stops}This deletes the session here and, if ${agent} supports it, in the agent's own history. Files it changed are kept. This cannot be undone.${session?.archived ? "" : " To hide the session instead, archive it."}`}
      action="Delete session"
      isDangerous
      onConfirm={() => void shell.attempt({ type: "session:delete", sessionId })}
    />
  );
}

interface ConfirmDialogProps {
  readonly shell: Shell;
  readonly title: string;
  readonly words: string;
  readonly action: string;
  /** Enter does not confirm an irreversible action. */
  readonly isDangerous?: boolean;
  readonly onConfirm: () => void;
}

/** Asks for confirmation and explains the effect. */
function ConfirmDialog({ shell, title, words, action, isDangerous = false, onConfirm }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={() => shell.closeDialog()}>
      <div class="dialog-body">
        <p>{words}</p>
      </div>
      <QuestionFoot
        action={action}
        isDangerous={isDangerous}
        onCancel={() => shell.closeDialog()}
        onConfirm={() => {
          shell.closeDialog();
          onConfirm();
        }}
      />
    </Dialog>
  );
}
