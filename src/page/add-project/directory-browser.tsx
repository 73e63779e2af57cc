import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import type { Directories, DirectoryEntry } from "../../protocol/directories.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { IconName } from "../../ui/icons/icon-shapes.ts";
import { LatestAnswer } from "../controls/latest-answer.ts";
import { PlaceSelect } from "../places/place-select.tsx";
import type { Shell } from "../state/shell.ts";
import type { ShellState } from "../state/shell-state.ts";
import { completePath, homePath, lookedUp, parentPath, pathRemark, stepChoice, takeDirectory } from "./completion.ts";

interface DirectoryBrowserProps {
  readonly shell: Shell;
  readonly path: string;
  readonly refused: string | null;
  readonly onPath: (path: string) => void;
  /** It gets the focus when its dialog opens. */
  readonly isFirst?: boolean;
}

/** A row to choose: a directory to go into, or a place that is used already. */
interface Row {
  readonly path: string;
  readonly name: string;
  readonly group: string;
  readonly entry?: DirectoryEntry;
}

const RECENT_MAX = 4;

/**
 * Directories to go through: home first, where projects are already, the one around, and what a typed text finds. What
 * is shown never prevents using the typed path.
 */
export function DirectoryBrowser({ shell, path, refused, onPath, isFirst = false }: DirectoryBrowserProps) {
  const [fieldId, hintId, listId] = [useId(), useId(), useId()];
  const field = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const asked = path === "" ? "~/" : lookedUp(path);
  const answer = useDirectories(shell, asked);
  const found = answer !== null && answer.path === asked ? answer : null;
  // In a layout effect: a key pressed after the paint must act on the new list.
  useLayoutEffect(() => setChosen(null), [found]);
  const rows = found === null ? [] : rowsOf(found, path === "" ? recentPlaces(shell.server.value) : []);
  const goTo = (next: string) => {
    onPath(next);
    field.current?.focus();
  };
  const home = homePath(path);
  const parent = path === "" ? parentPath("~/") : parentPath(path);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const act = actOf(event, { rows, found, chosen, parent });
    if (act === null) return;
    event.preventDefault();
    if (act.kind === "choose") setChosen(act.index);
    else onPath(act.path);
  };
  const remark = found === null ? null : remarkOf(path, found);
  return (
    <div class="directory-browser">
      <PlaceSelect shell={shell} path={path} onPath={goTo} />
      <label class="label" for={fieldId}>
        Directory
      </label>
      <div class={refused === null ? "field" : "field invalid"}>
        <Icon name="folder" class="icon-sm" />
        <input
          ref={field}
          id={fieldId}
          class="mono"
          value={path}
          placeholder="~/code/my-project"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          data-first-focus={isFirst ? "" : undefined}
          aria-invalid={refused !== null}
          aria-describedby={hintId}
          aria-autocomplete="list"
          aria-controls={rows.length > 0 ? listId : undefined}
          aria-activedescendant={chosen === null ? undefined : optionId(listId, chosen)}
          onInput={(event) => onPath(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <Step words="Parent directory" icon="up" to={parent} onGo={goTo} />
        <Step words="Home directory" icon="home" to={path === home ? null : home} onGo={goTo} />
      </div>
      <div id={hintId}>
        <Hint refused={refused} remark={remark} />
      </div>
      {found !== null && rows.length > 0 && (
        <DirectoryList
          id={listId}
          rows={rows}
          chosen={chosen}
          hasMore={found.hasMore}
          onTake={(row) => goTo(row.path)}
        />
      )}
      <p class="visually-hidden" role="status">
        {found === null ? "" : countWords(found)}
      </p>
    </div>
  );
}

interface StepProps {
  readonly words: string;
  readonly icon: IconName;
  /** Null: there is no way to go on from here. */
  readonly to: string | null;
  readonly onGo: (path: string) => void;
}

function Step({ words, icon, to, onGo }: StepProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={words}
      title={words}
      aria-disabled={to === null}
      onClick={() => to !== null && onGo(to)}
    >
      <Icon name={icon} class="icon-sm" />
    </button>
  );
}

/** The directories that projects are in, those of the newest projects first. */
function recentPlaces({ projects }: Pick<ShellState, "projects">): readonly string[] {
  const around = projects.flatMap(({ path }) => parentPath(path) ?? []);
  return [...new Set(around.reverse())].slice(0, RECENT_MAX);
}

function rowsOf(found: Directories, recent: readonly string[]): readonly Row[] {
  const group = found.base === homePath(found.base) ? "Home" : "Directories";
  return [
    ...recent.map((path) => ({ path, name: path, group: "Recent" })),
    ...found.entries.map((entry) => ({ path: takeDirectory(found, entry.name), name: entry.name, group, entry })),
  ];
}

function remarkOf(path: string, found: Directories): string | null {
  if (path !== "" && lookedUp(path) !== path)
    return `Enter the full path, starting with / or ~. ${found.entries.length > 0 ? "These are in your home directory." : ""}`;
  return pathRemark({ ...found, path });
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
  | { readonly kind: "choose"; readonly index: number | null }
  | { readonly kind: "become"; readonly path: string };

interface Shown {
  readonly rows: readonly Row[];
  readonly found: Directories | null;
  readonly chosen: number | null;
  readonly parent: string | null;
}

/** The action of a key in the field; null has none: Enter then uses the path, Tab moves on, Esc closes the dialog. */
function actOf(event: KeyboardEvent, { rows, found, chosen, parent }: Shown): FieldAct | null {
  const { key, altKey } = event;
  const isTab = key === "Tab" && !event.shiftKey;
  if (altKey) return key === "ArrowUp" && parent !== null ? { kind: "become", path: parent } : null;
  if (key === "ArrowDown" && rows.length > 0) return { kind: "choose", index: stepChoice(chosen, 1, rows.length) };
  if (key === "ArrowUp" && rows.length > 0) return { kind: "choose", index: stepChoice(chosen, -1, rows.length) };
  const row = chosen === null ? undefined : rows[chosen];
  if (row !== undefined && (key === "Enter" || key === "ArrowRight" || isTab))
    return { kind: "become", path: row.path };
  if (row !== undefined && key === "Escape") return { kind: "choose", index: null };
  const path = isTab && found !== null ? completePath(found) : null;
  return path === null ? null : { kind: "become", path };
}

interface DirectoryListProps {
  readonly id: string;
  readonly rows: readonly Row[];
  readonly chosen: number | null;
  readonly hasMore: boolean;
  readonly onTake: (row: Row) => void;
}

const optionId = (listId: string, index: number): string => `${listId}-${index}`;

/** The cursor stays in the field; the choice is only marked here. */
function DirectoryList({ id, rows, chosen, hasMore, onTake }: DirectoryListProps) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const groups = [...new Set(rows.map(({ group }) => group))];
  return (
    <>
      <div class="directories" role="listbox" id={id} aria-label="Directories" ref={list} tabIndex={-1}>
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a listbox
          <div key={group} role="group" aria-label={group}>
            {groups.length > 1 && (
              <div class="directory-group" aria-hidden="true">
                {group}
              </div>
            )}
            {rows.map((row, index) =>
              row.group === group ? (
                <DirectoryOption
                  key={row.path}
                  id={optionId(id, index)}
                  row={row}
                  isChosen={index === chosen}
                  onTake={() => onTake(row)}
                />
              ) : null,
            )}
          </div>
        ))}
      </div>
      {hasMore && <p class="hint">There are more. Keep typing to narrow the list.</p>}
    </>
  );
}

interface DirectoryOptionProps {
  readonly id: string;
  readonly row: Row;
  readonly isChosen: boolean;
  readonly onTake: () => void;
}

function DirectoryOption({ id, row: { name, entry }, isChosen, onTake }: DirectoryOptionProps) {
  const { linkTo, isRepository = false, isUnreadable = false } = entry ?? {};
  const icon = entry === undefined ? "clock" : isUnreadable ? "fail" : isRepository ? "branch" : "folder";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field it belongs to handles the keys
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
      <Icon name={icon} class="icon-sm" />
      <span class="name truncate">{name}</span>
      {linkTo !== undefined && <span class="note truncate">→ {linkTo}</span>}
      {isRepository && <span class="end">git</span>}
      {isUnreadable && <span class="end">cannot be read</span>}
    </div>
  );
}

/** Sends one request after fast typing, not one per letter. */
const TYPING_PAUSE_MS = 60;

/** From the server; null before the first answer. A failed one is ignored: the user can still type. */
function useDirectories(shell: Shell, path: string): Directories | null {
  const [found, setFound] = useState<Directories | null>(null);
  const latest = useRef(new LatestAnswer()).current;
  useEffect(() => {
    latest.forget();
    const timer = setTimeout(() => void latest.ask(() => ask(shell, path), setFound), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [path]);
  return found;
}

async function ask(shell: Shell, path: string): Promise<Directories | null> {
  const answer = await shell.attempt({ type: "directories:list", path }, ignore("using the path says what is wrong"));
  return answer?.type === "directories:list" ? answer : null;
}
