import { useState } from "preact/hooks";
import { ARGUMENTS } from "../../protocol/fill-snippet.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import {
  SNIPPET_BODY_CHARS_MAX,
  SNIPPET_NAME_CHARS_MAX,
  type Snippet,
  SnippetName,
  snippetNameOf,
} from "../../protocol/snippets.ts";
import { Choice } from "../controls/choice.tsx";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";

interface SnippetDialogProps {
  readonly shell: Shell;
  /** Changes this one; absent: a new one. */
  readonly snippet?: Snippet | undefined;
  /** The text of a new one. */
  readonly body?: string | undefined;
  /** Where a new one is offered, if not everywhere. */
  readonly projectId?: ProjectId | undefined;
}

const EVERYWHERE = "";

/** A new snippet, or a change of one: its name, its text and where it is offered. */
export function SnippetDialog({ shell, snippet, body: first = "", projectId: wanted }: SnippetDialogProps) {
  const [name, setName] = useState(snippet?.name ?? (first === "" ? "" : snippetNameOf(first)));
  const [body, setBody] = useState(snippet?.body ?? first);
  const [place, setPlace] = useState<string>(snippet?.projectId ?? EVERYWHERE);
  const [problem, setProblem] = useState("");
  const { projects } = shell.server.value;
  // The project of the message first: it is the likeliest one.
  const sorted = [...projects].sort((a, b) => Number(b.id === wanted) - Number(a.id === wanted));
  const words = Object.fromEntries([
    [EVERYWHERE, "All projects"],
    ...sorted.map((one) => [one.id as string, one.name]),
  ]);
  const save = async () => {
    const problems = problemOf(name, body);
    setProblem(problems);
    if (problems !== "") return;
    const projectId = projects.find(({ id }) => id === place)?.id;
    const saved = await shell.attempt(
      { type: "snippet:save", ...(snippet && { snippetId: snippet.id }), name, body, ...(projectId && { projectId }) },
      setProblem,
    );
    if (saved !== null) shell.closeDialog();
  };
  return (
    <Dialog title={snippet ? `Edit /${snippet.name}` : "Save as snippet"} onClose={() => shell.closeDialog()}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div class="dialog-body snippet-form">
          <label for="snippet-name">
            Name, typed after /
            <div class="field">
              <input
                id="snippet-name"
                data-first-focus
                value={name}
                maxLength={SNIPPET_NAME_CHARS_MAX}
                autocomplete="off"
                spellcheck={false}
                aria-invalid={problem !== "" && !SnippetName.safeParse(name).success}
                aria-describedby="snippet-problem"
                onInput={(event) => setName(event.currentTarget.value.trim())}
              />
            </div>
          </label>
          <label for="snippet-body">
            Text
            <textarea
              class="field"
              id="snippet-body"
              rows={8}
              value={body}
              maxLength={SNIPPET_BODY_CHARS_MAX}
              aria-describedby="snippet-hint"
              onInput={(event) => setBody(event.currentTarget.value)}
            />
          </label>
          <p class="hint" id="snippet-hint">
            <code>{ARGUMENTS}</code> stands for what you type after the name. It is sent as text that you typed.
          </p>
          <div class="setting">
            <span>Offered in</span>
            <Choice label="Offered in" words={words} value={place} onChoose={setPlace} />
          </div>
          <p class="error-text" id="snippet-problem" role="alert">
            {problem}
          </p>
        </div>
        <footer class="dialog-foot">
          <span class="spacer" />
          <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
            Cancel
          </button>
          <button type="submit" class="button primary">
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function problemOf(name: string, body: string): string {
  if (!SnippetName.safeParse(name).success)
    return "Give it a name of letters, digits, dots, dashes or underscores, without spaces.";
  return body.trim() === "" ? "Enter a text." : "";
}
