import type { CliType, ProjectId } from "../../protocol/ids.ts";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";
import type { PlaceWish } from "../state/shell-dialog.ts";
import { canIn } from "../state/shell-state.ts";
import { NewSessionForm } from "./new-session-form.tsx";

interface NewSessionDialogProps {
  readonly shell: Shell;
  readonly projectId: ProjectId | null;
  readonly startWith?: CliType | undefined;
  readonly place?: PlaceWish | undefined;
}

/** A new session from anywhere, with links to the other ways to start one. */
export function NewSessionDialog({ shell, ...start }: NewSessionDialogProps) {
  const close = () => shell.closeDialog();
  return (
    <Dialog title="New session" onClose={close} wide>
      <NewSessionForm
        shell={shell}
        {...start}
        onStarted={close}
        foot={(projectId) => (
          <>
            {projectId !== null && (
              <>
                {canIn(shell.server.value, projectId, "import") && (
                  <button
                    type="button"
                    class="button ghost"
                    onClick={() => {
                      shell.dialog.value = { kind: "import", projectId };
                    }}
                  >
                    Import sessions…
                  </button>
                )}
                {canIn(shell.server.value, projectId, "worktrees") && (
                  <button
                    type="button"
                    class="button ghost"
                    title="One task for several agents at once"
                    onClick={() => {
                      shell.dialog.value = { kind: "start-attempts", projectId };
                    }}
                  >
                    Best of N…
                  </button>
                )}
              </>
            )}
            <span class="spacer" />
            <button type="button" class="button ghost" onClick={close}>
              Cancel
            </button>
          </>
        )}
      />
    </Dialog>
  );
}
