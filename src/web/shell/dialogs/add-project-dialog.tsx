import { useId, useState } from "preact/hooks";
import type { ProjectId } from "../../../protocol/ids.ts";
import { Icon } from "../../icons/icon.tsx";
import type { Shell } from "../state/shell.ts";
import { addProject } from "../state/shell-actions.ts";
import { Dialog } from "./dialog.tsx";

interface AddProjectDialogProps {
  readonly shell: Shell;
  readonly onAdded: ((projectId: ProjectId) => void) | undefined;
}

/** A path that is refused says why, under the field it belongs to; the button stays on, for the fix may be a retry. */
export function AddProjectDialog({ shell, onAdded }: AddProjectDialogProps) {
  const [path, setPath] = useState("");
  const [refused, setRefused] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
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
          <DirectoryField path={path} refused={refused} onPath={setPath} />
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

interface DirectoryFieldProps {
  readonly path: string;
  readonly refused: string | null;
  readonly onPath: (path: string) => void;
}

function DirectoryField({ path, refused, onPath }: DirectoryFieldProps) {
  const fieldId = useId();
  const hintId = useId();
  return (
    <div>
      <label class="label" for={fieldId}>
        Directory
      </label>
      <div class={refused === null ? "field" : "field invalid"}>
        <Icon name="folder" class="icon-sm" />
        <input
          id={fieldId}
          class="mono"
          value={path}
          placeholder="~/code/my-project"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          data-first-focus
          aria-invalid={refused !== null}
          aria-describedby={hintId}
          onInput={(event) => onPath(event.currentTarget.value)}
        />
      </div>
      <div id={hintId}>
        {refused === null ? (
          <p class="hint">Nothing is copied or changed. Sessions already made here come with it.</p>
        ) : (
          <p class="error-text" role="alert">
            <Icon name="fail" class="icon-sm" />
            <span>{refused}</span>
          </p>
        )}
      </div>
    </div>
  );
}
