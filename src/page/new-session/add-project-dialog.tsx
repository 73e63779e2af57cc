import { useState } from "preact/hooks";
import type { ProjectId } from "../../protocol/ids.ts";
import { Dialog } from "../controls/dialog.tsx";
import { DirectoryField } from "../directories/directory-field.tsx";
import type { Shell } from "../state/shell.ts";
import { addProject } from "../state/shell-actions.ts";

interface AddProjectDialogProps {
  readonly shell: Shell;
  readonly onAdded: ((projectId: ProjectId) => void) | undefined;
}

/** A path that is refused says why, under the field it belongs to; the button stays on, for the fix may be a retry. */
export function AddProjectDialog({ shell, onAdded }: AddProjectDialogProps) {
  const [path, setPath] = useState("");
  const [refused, setRefused] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  /** Another path is another question: what was said of the last one no longer holds. */
  const type = (next: string) => {
    setPath(next);
    setRefused(null);
  };
  const submit = async () => {
    if (busy) return;
    if (path.trim() === "") return setRefused("Enter the path of a directory.");
    setBusy(true);
    setRefused(null);
    const added = await addProject(shell, path.trim(), setRefused);
    setBusy(false);
    if (added === null) return;
    shell.closeDialog();
    onAdded?.(added);
  };
  return (
    <Dialog title="Add project" onClose={() => shell.closeDialog()}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div class="dialog-body">
          <DirectoryField shell={shell} path={path} refused={refused} onPath={type} />
        </div>
        <footer class="dialog-foot">
          <span class="spacer" />
          <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
            Cancel
          </button>
          <button type="submit" class="button primary" aria-disabled={busy}>
            Add
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
