import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import type { Directories, DirectoryEntry } from "../../protocol/directories.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { LatestAnswer } from "../controls/latest-answer.ts";
import type { Shell } from "../state/shell.ts";
import { addProject } from "../state/shell-actions.ts";
import { completePath, pathRemark, stepChoice, takeDirectory } from "./completion.ts";

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

interface DirectoryFieldProps {
  readonly shell: Shell;
  readonly path: string;
  readonly refused: string | null;
  readonly onPath: (path: string) => void;
}

/** Where a path is typed, with the directories it could go on to under it. It never keeps anyone from adding what is typed. */
function DirectoryField({ shell, path, refused, onPath }: DirectoryFieldProps) {
  const [fieldId, hintId, listId] = [useId(), useId(), useId()];
  const [chosen, setChosen] = useState<number | null>(null);
  const [isBrowsing, setBrowsing] = useState(false);
  // Sends no request before something is typed.
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
  return (
    <p class="hint">{remark ?? "Nothing is copied or changed. Existing sessions of this directory are included."}</p>
  );
}

function countWords({ entries, hasMore }: Directories): string {
  if (entries.length === 0) return "No directories.";
  const count = `${entries.length}${hasMore ? " or more" : ""}`;
  return `${count} ${entries.length === 1 ? "directory" : "directories"}. Use the arrow keys to choose.`;
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

interface DirectoryListProps {
  readonly id: string;
  readonly found: Directories;
  readonly chosen: number | null;
  readonly onTake: (name: string) => void;
}

const optionId = (listId: string, index: number): string => `${listId}-${index}`;

/** The directories a path could go on to. The cursor stays in the field; the choice is only marked here. */
function DirectoryList({ id, found, chosen, onTake }: DirectoryListProps) {
  const list = useRef<HTMLDivElement>(null);
  const { entries, hasMore } = found;
  useLayoutEffect(() => {
    if (chosen !== null) list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <>
      <div class="directories" role="listbox" id={id} aria-label="Directories" ref={list} tabIndex={-1}>
        {entries.map((entry, index) => (
          <DirectoryOption
            key={entry.name}
            id={optionId(id, index)}
            entry={entry}
            isChosen={index === chosen}
            onTake={() => onTake(entry.name)}
          />
        ))}
      </div>
      {hasMore && <p class="hint">There are more. Keep typing to narrow the list.</p>}
    </>
  );
}

interface DirectoryOptionProps {
  readonly id: string;
  readonly entry: DirectoryEntry;
  readonly isChosen: boolean;
  readonly onTake: () => void;
}

function DirectoryOption({ id, entry, isChosen, onTake }: DirectoryOptionProps) {
  const { name, linkTo, isRepository, isUnreadable } = entry;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field it belongs to holds the keyboard
    <div
      id={id}
      role="option"
      tabIndex={-1}
      class="menu-item"
      aria-selected={isChosen}
      title={linkTo === undefined ? name : `${name} → ${linkTo}`}
      onMouseDown={(event) => event.preventDefault()} // the cursor stays in the field
      onClick={onTake}
    >
      <Icon name={isUnreadable ? "fail" : isRepository ? "branch" : "folder"} class="icon-sm" />
      <span class="name truncate">{name}</span>
      {linkTo !== undefined && <span class="note truncate">→ {linkTo}</span>}
      {isRepository && <span class="end">git</span>}
      {isUnreadable && <span class="end">cannot be read</span>}
    </div>
  );
}

/** Fast typing asks once, not once per letter. */
const TYPING_PAUSE_MS = 60;

/** Completions from the server; null before the first request. A failed completion is ignored: the user can still type. */
function useDirectories(shell: Shell, path: string | null): Directories | null {
  const [found, setFound] = useState<Directories | null>(null);
  const latest = useRef(new LatestAnswer()).current;
  useEffect(() => {
    latest.forget();
    if (path === null) {
      setFound(null);
      return;
    }
    const timer = setTimeout(() => void latest.ask(() => ask(shell, path), setFound), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [path]);
  return found;
}

async function ask(shell: Shell, path: string): Promise<Directories | null> {
  const answer = await shell.attempt({ type: "directories:list", path }, ignore("Add says what is wrong"));
  return answer?.type === "directories:list" ? answer : null;
}
