import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Snippet } from "../../protocol/snippets.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { Shell } from "../state/shell.ts";
import { useSnippets } from "./use-snippets.ts";

/** All snippets: to edit, rename, remove and add. */
export function SnippetsSection({ shell }: { shell: Shell }) {
  const [problem, setProblem] = useState("");
  const [asked, setAsked] = useState<Snippet["id"] | null>(null);
  const add = useRef<HTMLButtonElement>(null);
  const snippets = useSnippets(shell, setProblem);
  const projectName = (snippet: Snippet) =>
    snippet.projectId === undefined
      ? "All projects"
      : (shell.server.value.projects.find(({ id }) => id === snippet.projectId)?.name ?? "A removed project");
  return (
    <>
      {snippets !== null && snippets.length > 0 && (
        <ul class="snippets" aria-label="Snippets">
          {snippets.map((snippet) => (
            <li key={snippet.id}>
              <span class="snippet-words">
                <span class="mono">/{snippet.name}</span>
                <span class="muted">
                  {projectName(snippet)} · {snippet.body.trim().split("\n", 1)[0]}
                </span>
              </span>
              {asked === snippet.id ? (
                <RemoveQuestion
                  name={snippet.name}
                  onAnswer={(isSure) => {
                    setAsked(null);
                    const rest = isSure ? null : `remove ${snippet.id}`;
                    // After the render: the question is removed with its answer, and the focus must not be lost.
                    requestAnimationFrame(() => (rest === null ? add.current : document.getElementById(rest))?.focus());
                    if (isSure) void shell.attempt({ type: "snippet:remove", snippetId: snippet.id }, setProblem);
                  }}
                />
              ) : (
                <>
                  <button
                    type="button"
                    class="button small"
                    aria-label={`Edit /${snippet.name}`}
                    onClick={() => {
                      shell.dialog.value = { kind: "snippet", snippet };
                    }}
                  >
                    Edit
                  </button>
                  <button
                    type="button"
                    class="button small"
                    id={`remove ${snippet.id}`}
                    aria-label={`Remove /${snippet.name}`}
                    onClick={() => setAsked(snippet.id)}
                  >
                    Remove
                  </button>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {snippets?.length === 0 && <p class="hint">None yet. A message of yours can be saved as one.</p>}
      <div class="row">
        <button
          type="button"
          ref={add}
          class="button"
          onClick={() => {
            shell.dialog.value = { kind: "snippet" };
          }}
        >
          <Icon name="plus" class="icon-sm" />
          Add a snippet
        </button>
      </div>
      <p class="error-text" role="alert">
        {problem}
      </p>
    </>
  );
}

/** It replaces the buttons: the button that keeps the snippet is under the pointer. */
function RemoveQuestion({ name, onAnswer }: { readonly name: string; readonly onAnswer: (isSure: boolean) => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => keep.current?.focus(), []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: no fields here, a question with two answers
    <span class="remove-question" role="group" aria-label={`Remove /${name}?`}>
      <span>Remove its text for good?</span>
      <button type="button" class="button small danger" onClick={() => onAnswer(true)}>
        Remove
      </button>
      <button type="button" class="button small" ref={keep} onClick={() => onAnswer(false)}>
        Keep
      </button>
    </span>
  );
}
