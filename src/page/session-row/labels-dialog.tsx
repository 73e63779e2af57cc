import { useRef, useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import { LABEL_CHARS_MAX, LABELS_MAX } from "../../protocol/limits.ts";
import { Dialog } from "../controls/dialog.tsx";
import { labelsOf } from "../state/session-filter.ts";
import type { Shell } from "../state/shell.ts";
import { rowOf } from "../state/shell-state.ts";

/** The labels of a session: existing ones can be ticked, new ones are typed. Each change is saved at once. */
export function LabelsDialog({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const state = shell.server.value;
  const session = rowOf(state, sessionId);
  const own = session?.labels ?? [];
  const known = labelsOf([...state.sessions.values(), ...(session ? [session] : [])]);
  const isOwn = (label: string) => own.some((one) => one.toLowerCase() === label.toLowerCase());
  const isFull = own.length >= LABELS_MAX;
  const keep = (labels: readonly string[]) => {
    setProblem("");
    void shell.attempt({ type: "session:organize", sessionId, labels: [...labels] }, setProblem);
  };
  const add = () => {
    const label = field.current?.value.trim() ?? "";
    if (field.current === null || label === "" || isFull) return;
    if (!isOwn(label)) keep([...own, label]);
    field.current.value = "";
  };
  return (
    <Dialog title={`Labels of “${session?.title ?? "session"}”`} onClose={() => shell.closeDialog()}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <div class="dialog-body">
          <div>
            <label class="label" for="new-label">
              New label
            </label>
            <div class="label-entry">
              <input
                ref={field}
                id="new-label"
                class="field"
                type="text"
                data-first-focus=""
                autocomplete="off"
                maxLength={LABEL_CHARS_MAX}
                disabled={isFull}
                aria-describedby="label-hint"
              />
              <button type="submit" class="button" disabled={isFull}>
                Add
              </button>
            </div>
            <p class="hint" id="label-hint">
              {isFull
                ? `A session has at most ${LABELS_MAX} labels. Remove one to add another.`
                : "Filter the sidebar and the overview by labels."}
            </p>
            {problem !== "" && (
              <p class="error-text" role="alert">
                {problem}
              </p>
            )}
          </div>
          {known.length > 0 && (
            <fieldset class="label-choices">
              <legend class="label">Labels in use</legend>
              {known.map((label) => (
                <label key={label} class="label-choice">
                  <input
                    type="checkbox"
                    checked={isOwn(label)}
                    disabled={isFull && !isOwn(label)}
                    onChange={({ currentTarget }) =>
                      keep(
                        currentTarget.checked
                          ? [...own, label]
                          : own.filter((one) => one.toLowerCase() !== label.toLowerCase()),
                      )
                    }
                  />
                  <span class="truncate">{label}</span>
                </label>
              ))}
            </fieldset>
          )}
        </div>
        <footer class="dialog-foot">
          <span class="spacer" />
          <button type="button" class="button primary" onClick={() => shell.closeDialog()}>
            Done
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
