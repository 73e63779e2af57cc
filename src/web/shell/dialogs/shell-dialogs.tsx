import type { Shell } from "../state/shell.ts";
import { AddProjectDialog } from "./add-project-dialog.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { NewSessionDialog } from "./new-session-dialog.tsx";

/** The one dialog that is open, if any. */
export function ShellDialogs({ shell }: { shell: Shell }) {
  const dialog = shell.dialog.value;
  const { projects, sessions } = shell.server.value;
  switch (dialog.kind) {
    case "none":
      return null;
    case "add-project":
      return <AddProjectDialog shell={shell} onAdded={dialog.onAdded} />;
    case "new-session":
      return <NewSessionDialog key={dialog.projectId} shell={shell} projectId={dialog.projectId} />;
    case "remove-project": {
      const { projectId } = dialog;
      return (
        <ConfirmDialog
          shell={shell}
          title={`Remove ${projects.find(({ id }) => id === projectId)?.name ?? "project"}?`}
          words="It leaves the list and its tabs close. No file and no session is deleted: add the directory again and everything is back."
          action="Remove project"
          onConfirm={() => void shell.attempt({ type: "project:remove", projectId })}
        />
      );
    }
    case "archive": {
      const { sessionId } = dialog;
      return (
        <ConfirmDialog
          shell={shell}
          title={`Archive ${sessions.get(sessionId)?.title ?? "session"}?`}
          words="The agent is still working. Archiving stops its turn and closes the tab; everything said so far is kept."
          action="Stop and archive"
          onConfirm={() => void shell.attempt({ type: "session:archive", sessionId })}
        />
      );
    }
    default:
      return dialog satisfies never;
  }
}
