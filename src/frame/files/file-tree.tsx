import { useEffect, useRef } from "preact/hooks";
import { sourcePieces } from "../../lib/visible-text.ts";
import { splitPath } from "../../presentation/tool-line.ts";
import type { DirectoryEntry } from "../../protocol/changes.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { FilesStore, TreeRow } from "./files-store.ts";
import { useWindow } from "./use-window.ts";

/** As in the style sheet. */
const ROW_REM = 1.625;
const TREE_ID = "file-tree";

type EntryRow = Extract<TreeRow, { kind: "entry" }>;

/** Text with signs for invisible characters. */
export function VisibleName({ text }: { readonly text: string }) {
  return (
    <>
      {sourcePieces(text).map(({ kind, text: shown }, index) =>
        kind === "text" ? (
          shown
        ) : (
          <span key={index} class="unseen">
            {shown}
          </span>
        ),
      )}
    </>
  );
}

/** Filter and tree. `choose`: opens a file. */
export function FileTree({ files, choose }: { readonly files: FilesStore; readonly choose: (path: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const query = files.query.value;
  const found = files.found.value;
  const rows = query.trim() === "" ? files.rows.value : foundRows(found?.paths ?? []);
  const act = (row: TreeRow | undefined) => {
    if (row?.kind === "more") files.showMore(row.path);
    if (row?.kind !== "entry") return;
    files.active.value = row.path;
    if (row.isDirectory) files.toggle(row.path);
    else if (row.entry.kind === "link") void files.openLink(row.path);
    else choose(row.path);
  };
  const onInputKey = (event: KeyboardEvent) => {
    if (event.key === "Enter") act(rows[0]);
    else if (event.key === "ArrowDown") document.getElementById(TREE_ID)?.focus();
    else if (event.key === "Escape" && query !== "") void files.search("");
    else return;
    event.preventDefault();
  };
  return (
    <div class="tree-pane">
      <div class="tree-head">
        <label class="field">
          <Icon name="search" class="icon-sm" />
          <input
            ref={input}
            id="file-filter"
            type="text"
            aria-label="Filter files"
            placeholder="Filter files"
            autocomplete="off"
            spellcheck={false}
            value={query}
            onInput={({ currentTarget }) => void files.search(currentTarget.value)}
            onKeyDown={onInputKey}
          />
        </label>
        <button
          type="button"
          class="icon-button"
          aria-label="Refresh"
          title="Refresh"
          onClick={() => void files.refresh()}
        >
          <Icon name="refresh" class="icon-sm" />
        </button>
      </div>
      <span class="visually-hidden" role="status">
        {found !== null && found.query === query ? `${found.paths.length} files` : ""}
      </span>
      {rows.length > 0 && <TreeRows files={files} rows={rows} act={act} />}
      {rows.length === 0 && found?.query === query && query.trim() !== "" && (
        <p class="tree-none">No file matches “{query.trim()}”.</p>
      )}
    </div>
  );
}

function foundRows(paths: readonly string[]): readonly TreeRow[] {
  return paths.map((path, index) => ({
    kind: "entry",
    path,
    entry: { name: path, kind: "file", ignored: false },
    level: 1,
    isDirectory: false,
    isExpanded: false,
    position: index + 1,
    siblings: paths.length,
  }));
}

interface TreeRowsProps {
  readonly files: FilesStore;
  readonly rows: readonly TreeRow[];
  readonly act: (row: TreeRow | undefined) => void;
}

/** Only the rows near the view exist. The tree itself has the focus, and refers to the active row. */
function TreeRows({ files, rows, act }: TreeRowsProps) {
  const { scroller, from, to, look, reveal } = useWindow<HTMLDivElement>(rows.length, ROW_REM);
  const active = files.active.value;
  const openPath = files.file.value?.path;
  const at = rows.findIndex((row) => row.kind === "entry" && row.path === active);
  useEffect(() => {
    if (at >= 0) reveal(at);
  }, [active, at < 0]);
  const goTo = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row?.kind === "entry") files.active.value = row.path;
    else if (row?.kind === "more") act(row);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const row = rows[at];
    const step = treeStep(event.key, row, at, rows);
    if (step === null) return;
    event.preventDefault();
    if (step.kind === "go") goTo(step.to);
    else if (step.kind === "toggle" && row) files.toggle(row.path);
    else if (step.kind === "act") act(row);
  };
  return (
    <div
      id={TREE_ID}
      class="file-tree"
      ref={scroller}
      role="tree"
      tabIndex={0}
      aria-label="Files"
      aria-activedescendant={at >= from && at < to ? rowId(at) : undefined}
      onScroll={look}
      onKeyDown={onKeyDown}
      onFocus={() => {
        if (at < 0) goTo(0);
      }}
    >
      <div class="tree-all" role="none" style={{ height: `${rows.length * ROW_REM}rem` }}>
        <div class="tree-window" role="none" style={{ top: `${from * ROW_REM}rem` }}>
          {rows.slice(from, to).map((row, offset) => (
            <Row
              key={`${row.kind}:${row.path}`}
              row={row}
              id={rowId(from + offset)}
              isActive={from + offset === at}
              isOpen={row.kind === "entry" && row.path === openPath}
              act={act}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

const rowId = (index: number) => `file-row-${index}`;

type TreeStep = { readonly kind: "go"; readonly to: number } | { readonly kind: "toggle" | "act" };

/** What a key does in a tree. */
function treeStep(key: string, row: TreeRow | undefined, at: number, rows: readonly TreeRow[]): TreeStep | null {
  const entry = row?.kind === "entry" ? row : null;
  switch (key) {
    case "ArrowDown":
      return { kind: "go", to: at + 1 };
    case "ArrowUp":
      return { kind: "go", to: at - 1 };
    case "Home":
      return { kind: "go", to: 0 };
    case "End":
      return { kind: "go", to: rows.findLastIndex(({ kind }) => kind === "entry") };
    case "ArrowRight":
      if (!entry?.isDirectory) return null;
      return entry.isExpanded ? { kind: "go", to: at + 1 } : { kind: "toggle" };
    case "ArrowLeft": {
      if (entry?.isExpanded) return { kind: "toggle" };
      const parent = rows.findLastIndex((one, index) => index < at && one.level < (row?.level ?? 0));
      return parent < 0 ? null : { kind: "go", to: parent };
    }
    case "Enter":
    case " ":
      return { kind: "act" };
    default:
      return null;
  }
}

interface RowProps {
  readonly row: TreeRow;
  readonly id: string;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly act: TreeRowsProps["act"];
}

function Row({ row, id, isActive, isOpen, act }: RowProps) {
  const style = { "--depth": row.level - 1 };
  if (row.kind !== "entry")
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the tree refers to it with aria-activedescendant
      <div
        id={id}
        class={`tree-item ${row.kind}`}
        role="treeitem"
        aria-level={row.level}
        aria-selected={false}
        style={style}
        onClick={() => act(row)}
      >
        <span class="twig" />
        <span class="truncate">{row.words}</span>
      </div>
    );
  return <EntryRowView row={row} id={id} isActive={isActive} isOpen={isOpen} act={act} />;
}

function EntryRowView({ row, id, isActive, isOpen, act }: Omit<RowProps, "row"> & { readonly row: EntryRow }) {
  const { entry, isDirectory, isExpanded, level } = row;
  const { folder, file } = splitPath(entry.name);
  const letter = entry.status === undefined ? null : LETTERS[entry.status];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree refers to it with aria-activedescendant
    <div
      id={id}
      class={entry.ignored ? "tree-item ignored" : "tree-item"}
      role="treeitem"
      aria-level={level}
      aria-setsize={row.siblings}
      aria-posinset={row.position}
      aria-selected={isOpen}
      {...(isDirectory && { "aria-expanded": isExpanded })}
      data-active={isActive}
      title={row.path}
      style={{ "--depth": level - 1 }}
      onClick={() => act(row)}
    >
      {isDirectory ? <Icon name="chevron" /> : <span class="twig" />}
      <Icon name={isDirectory ? "folder" : entry.kind === "link" ? "open" : "file"} class="icon-sm" />
      <span class="truncate">
        <VisibleName text={file} />
        {folder !== "" && (
          <span class="tree-folder">
            <VisibleName text={folder.slice(0, -1)} />
          </span>
        )}
      </span>
      {entry.ignored && <span class="visually-hidden">, ignored</span>}
      {letter !== null && (
        <span class="status-letter" data-status={entry.status} title={letter.words}>
          <span aria-hidden="true">{letter.sign}</span>
          <span class="visually-hidden">, {letter.words}</span>
        </span>
      )}
    </div>
  );
}

const LETTERS: Readonly<
  Record<NonNullable<DirectoryEntry["status"]>, { readonly sign: string; readonly words: string }>
> = {
  added: { sign: "A", words: "added since the last commit" },
  modified: { sign: "M", words: "changed since the last commit" },
  deleted: { sign: "D", words: "deleted since the last commit" },
};
