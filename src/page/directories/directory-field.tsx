import { useEffect, useId, useState } from "preact/hooks";
import type { Directories } from "../../protocol/directories.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { adoptStyles } from "../../ui/styles/adopt-styles.ts";
import type { Shell } from "../state/shell.ts";
import { completePath, pathRemark, stepChoice, takeDirectory } from "./completion.ts";
import styles from "./directories.css" with { type: "text" };
import { DirectoryList, optionId } from "./directory-list.tsx";
import { useDirectories } from "./use-directories.ts";

interface DirectoryFieldProps {
  readonly shell: Shell;
  readonly path: string;
  readonly refused: string | null;
  readonly onPath: (path: string) => void;
}

/** Where a path is typed, with the directories it could go on to under it. It never keeps anyone from adding what is typed. */
export function DirectoryField({ shell, path, refused, onPath }: DirectoryFieldProps) {
  const [fieldId, hintId, listId] = [useId(), useId(), useId()];
  const [chosen, setChosen] = useState<number | null>(null);
  const [isBrowsing, setBrowsing] = useState(false);
  adoptStyles(styles);
  // Until something is typed nothing is asked: who only looks in and leaves has sent nothing.
  const asked = path === "" ? (isBrowsing ? "~/" : null) : path;
  const answer = useDirectories(shell, asked);
  const found = answer !== null && answer.path === asked ? answer : null;
  useEffect(() => setChosen(null), [found]);
  const take = (name: string) => found && onPath(takeDirectory(found, name));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const act = actOf(event, found, chosen);
    if (act === null) return;
    event.preventDefault();
    if (act.kind === "browse") setBrowsing(true);
    else if (act.kind === "choose") setChosen(act.index);
    else onPath(act.path);
  };
  const remark = found === null ? null : pathRemark(found);
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
          aria-autocomplete="list"
          aria-controls={found !== null && found.entries.length > 0 ? listId : undefined}
          aria-activedescendant={chosen === null ? undefined : optionId(listId, chosen)}
          onInput={(event) => onPath(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={hintId}>
        <Hint refused={refused} remark={remark} />
      </div>
      {found !== null && found.entries.length > 0 && (
        <DirectoryList id={listId} found={found} chosen={chosen} onTake={take} />
      )}
      <p class="visually-hidden" role="status">
        {found === null ? "" : countWords(found)}
      </p>
    </div>
  );
}

function Hint({ refused, remark }: { refused: string | null; remark: string | null }) {
  if (refused !== null) {
    return (
      <p class="error-text" role="alert">
        <Icon name="fail" class="icon-sm" />
        <span>{refused}</span>
      </p>
    );
  }
  return <p class="hint">{remark ?? "Nothing is copied or changed. Sessions already made here come with it."}</p>;
}

function countWords({ entries, hasMore }: Directories): string {
  if (entries.length === 0) return "No directories.";
  const count = `${entries.length}${hasMore ? " or more" : ""}`;
  return `${count} ${entries.length === 1 ? "directory" : "directories"}. Arrow keys choose.`;
}

type FieldAct =
  | { readonly kind: "browse" }
  | { readonly kind: "choose"; readonly index: number | null }
  | { readonly kind: "become"; readonly path: string };

/** What a key does in the field; null leaves it alone: Enter then adds, Tab goes on, Esc closes the dialog. */
function actOf(event: KeyboardEvent, found: Directories | null, chosen: number | null): FieldAct | null {
  const isTab = event.key === "Tab" && !event.shiftKey;
  if (found === null) return event.key === "ArrowDown" ? { kind: "browse" } : null;
  const name = chosen === null ? undefined : found.entries[chosen]?.name;
  if (event.key === "ArrowDown") return { kind: "choose", index: stepChoice(chosen, 1, found.entries.length) };
  if (event.key === "ArrowUp") return { kind: "choose", index: stepChoice(chosen, -1, found.entries.length) };
  if (name !== undefined && (event.key === "Enter" || isTab))
    return { kind: "become", path: takeDirectory(found, name) };
  if (name !== undefined && event.key === "Escape") return { kind: "choose", index: null };
  const path = isTab ? completePath(found) : null;
  return path === null ? null : { kind: "become", path };
}
