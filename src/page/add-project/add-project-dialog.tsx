import { useState } from "preact/hooks";
import type { ProjectId } from "../../protocol/ids.ts";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";
import { addProject } from "../state/shell-actions.ts";
import { DirectoryBrowser } from "./directory-browser.tsx";

interface AddProjectDialogProps {
  readonly shell: Shell;
  readonly onAdded: ((projectId: ProjectId) => void) | undefined;
}

/** Shows why a path was refused under its field; the button stays enabled, since a retry may succeed. */
export function AddProjectDialog({ shell, onAdded }: AddProjectDialogProps) {
  const [path, setPath] = useState("");
  const [refused, setRefused] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  /** An edited path clears the error of the last one. */
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
          <DirectoryBrowser shell={shell} path={path} refused={refused} onPath={type} isFirst />
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
