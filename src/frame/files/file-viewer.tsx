import type { ComponentChildren } from "preact";
import { useEffect, useReducer, useRef } from "preact/hooks";
import { sourcePieces } from "../../lib/visible-text.ts";
import { codeLanguageLabel, fileLanguageId } from "../../presentation/code-languages.ts";
import type { CodeToken } from "../../presentation/tokenize-code.ts";
import { splitPath } from "../../presentation/tool-line.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { IconName } from "../../ui/icons/icon-shapes.ts";
import { copyText } from "../../ui/markdown/copy-text.ts";
import { sizeWords } from "../../ui/parts/block.ts";
import { VisibleName } from "./file-tree.tsx";
import type { FilesStore, Lines, OpenFile } from "./files-store.ts";
import { LineColours } from "./line-colours.ts";
import { useWindow } from "./use-window.ts";

/** As in the style sheet. */
const ROW_REM = 1.25;
/** More is read when this many rows are left. */
const AHEAD_ROWS = 200;
const KILO = 1_000;

interface FileViewerProps {
  readonly files: FilesStore;
  readonly file: OpenFile;
  readonly mention: (path: string, lines: Lines | null) => void;
  readonly close: () => void;
}

/** One file: its lines, and its actions. */
export function FileViewer({ files, file, mention, close }: FileViewerProps) {
  const lines = files.lines.value;
  const edited = files.edited.value;
  const host = location.hostname;
  const isHere = /^(?:localhost|127\.|\[::1\])/.test(host);
  return (
    <section class="viewer" aria-label={`File ${file.path}`}>
      <header class="viewer-head">
        <button
          type="button"
          class="icon-button viewer-back"
          aria-label="Back to the tree"
          onClick={() => files.closeFile()}
        >
          <Icon name="chevron" class="icon-sm" />
        </button>
        <FilePathName path={file.path} />
        <div class="end">
          <button
            type="button"
            class="icon-button"
            aria-label="Copy path"
            title="Copy path"
            onClick={() => void copyText(file.path)}
          >
            <Icon name="copy" class="icon-sm" />
          </button>
          <HeadButton
            icon="at"
            words="Insert @mention"
            title={lines === null ? "Mention this file in the message" : "Mention these lines in the message"}
            act={() => mention(file.path, lines)}
          />
          <HeadButton
            icon="open"
            words="Open in editor"
            title={isHere ? "Open in editor" : `Opens on ${host}`}
            act={() => void files.edit(file.path, lines?.from ?? 1)}
          />
          <CloseButton close={close} />
        </div>
      </header>
      <p class="viewer-note" role="status" data-failed={edited?.isFailure ?? false}>
        {edited?.words ?? ""}
      </p>
      <FileBody files={files} file={file} />
      <ViewerFoot files={files} file={file} />
    </section>
  );
}

export function CloseButton({ close }: { readonly close: () => void }) {
  return (
    <button type="button" class="icon-button" aria-label="Close files" title="Close (Esc)" onClick={close}>
      <Icon name="close" class="icon-sm" />
    </button>
  );
}

function FilePathName({ path }: { readonly path: string }) {
  const { folder, file } = splitPath(path);
  return (
    <h2 class="path" title={path}>
      <bdi>
        <VisibleName text={folder} />
        <b>
          <VisibleName text={file} />
        </b>
      </bdi>
    </h2>
  );
}

interface HeadButtonProps {
  readonly icon: IconName;
  readonly words: string;
  readonly title: string;
  readonly act: () => void;
}

function HeadButton({ icon, words, title, act }: HeadButtonProps) {
  return (
    <button type="button" class="button ghost small" aria-label={words} title={title} onClick={act}>
      <Icon name={icon} class="icon-sm" />
      <span class="label">{words}</span>
    </button>
  );
}

function FileBody({ files, file }: { readonly files: FilesStore; readonly file: OpenFile }) {
  switch (file.state) {
    case "reading":
      return <p class="viewer-state faint">Reading…</p>;
    case "binary":
      return <State icon="file" words={`Binary file, ${bytesWords(file.totalBytes)}. It has no text to show.`} />;
    case "failed":
      return (
        <State icon="alert" words={file.failure ?? "The file could not be read."}>
          <button type="button" class="button" onClick={() => void files.refresh()}>
            Try again
          </button>
        </State>
      );
    case "partial":
    case "whole":
      return file.rowCount === 0 ? (
        <State icon="file" words="This file is empty." />
      ) : (
        <Source key={file.key} files={files} file={file} />
      );
    default:
      return file.state satisfies never;
  }
}

interface StateProps {
  readonly icon: IconName;
  readonly words: string;
  readonly children?: ComponentChildren;
}

export function State({ icon, words, children }: StateProps) {
  return (
    <div class="empty viewer-state">
      <Icon name={icon} />
      <p>{words}</p>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

/** Only the rows near the view exist. */
function Source({ files, file }: { readonly files: FilesStore; readonly file: OpenFile }) {
  const { source, rowCount } = file;
  const { scroller, from, to, top, look, reveal } = useWindow<HTMLElement>(rowCount, ROW_REM);
  const colours = useColours(file, from, to);
  const lines = files.lines.value;
  const wanted = files.wanted.value;
  const anchor = useRef(lines?.from ?? 1);
  const isPartial = file.state === "partial";
  useEffect(() => {
    if (isPartial && to > rowCount - AHEAD_ROWS) files.readMore();
  }, [to, rowCount, isPartial]);
  useEffect(() => {
    if (wanted === null || (isPartial && source.lineCount <= wanted.line)) return;
    anchor.current = wanted.line;
    reveal(source.rowOf(wanted.line));
    files.wanted.value = null;
  }, [wanted, rowCount]);
  const select = (line: number, isExtended: boolean) => {
    if (!isExtended) anchor.current = line;
    const isSame = !isExtended && lines?.from === line && lines.to === line;
    const between = [Math.min(anchor.current, line), Math.max(anchor.current, line)] as const;
    files.lines.value = isSame ? null : { from: between[0], to: between[1] };
  };
  const onClick = (event: MouseEvent) => {
    const number = event.target instanceof Element ? event.target.closest<HTMLElement>(".n") : null;
    if (number === null) return;
    select(Number(number.dataset["line"]), event.shiftKey);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by === 0 || !event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const line = nextEnd(lines, anchor.current, source.rowAt(top).line, by);
    if (line < 1 || line > source.lineCount) return;
    select(line, lines !== null);
    reveal(source.rowOf(line));
  };
  const digits = String(source.lineCount).length;
  return (
    <section
      class="source"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
      tabIndex={0}
      aria-label="Lines"
      aria-description="Shift with the arrow keys selects lines"
      onScroll={look}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      <div class="source-all" style={{ height: `${rowCount * ROW_REM}rem`, "--digits": digits }}>
        <div class="source-window" style={{ top: `${from * ROW_REM}rem` }}>
          {Array.from({ length: Math.max(0, to - from) }, (_, offset) => {
            const row = from + offset;
            const { text, line, isFirst } = source.rowAt(row);
            const isHere = lines !== null && line >= lines.from && line <= lines.to;
            const tokens = colours?.tokensOf(row) ?? null;
            return <SourceRow key={row} text={text} line={line} isFirst={isFirst} isHere={isHere} tokens={tokens} />;
          })}
        </div>
      </div>
    </section>
  );
}

/** The end of a selection that moves: the one that is not its anchor. */
function nextEnd(lines: Lines | null, anchor: number, firstShown: number, by: 1 | -1): number {
  if (lines === null) return firstShown;
  return (lines.from === anchor ? lines.to : lines.from) + by;
}

function useColours(file: OpenFile, from: number, to: number): LineColours | null {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const colours = useRef<LineColours | null>(null);
  const isWhole = file.state === "whole";
  useEffect(() => {
    colours.current = isWhole ? LineColours.of(file, () => redraw(undefined)) : null;
    colours.current?.want(from, to);
    return () => {
      colours.current?.close();
      colours.current = null;
    };
  }, [file.key, isWhole]);
  useEffect(() => colours.current?.want(from, to), [from, to]);
  return colours.current;
}

interface SourceRowProps {
  readonly text: string;
  readonly line: number;
  readonly isFirst: boolean;
  readonly isHere: boolean;
  readonly tokens: readonly CodeToken[] | null;
}

function SourceRow({ text, line, isFirst, isHere, tokens }: SourceRowProps) {
  // Lines whose text differs stay plain.
  const runs = tokens?.map((token) => token.text).join("") === text ? tokens : [{ text, className: "" }];
  return (
    <div class="source-row" data-here={isHere}>
      <span class="n" data-line={line} data-n={isFirst ? line : ""} />
      <code>
        {runs?.map((run, index) => (
          <Run key={index} {...run} />
        ))}
      </code>
    </div>
  );
}

function Run({ text, className }: CodeToken) {
  const pieces = sourcePieces(text);
  const shown = pieces.map(({ kind, text: piece }, index) =>
    kind === "text" ? (
      piece
    ) : (
      <span key={index} class="unseen">
        {piece}
      </span>
    ),
  );
  return <span class={className}>{shown}</span>;
}

function ViewerFoot({ files, file }: { readonly files: FilesStore; readonly file: OpenFile }) {
  const status = files.statusOf(file.path);
  const isText = file.state === "partial" || file.state === "whole";
  return (
    <footer class="viewer-foot">
      <span role="status">{isText && file.rowCount > 0 ? linesWords(file, files.lines.value) : ""}</span>
      <span class="end">
        {isText && file.failure !== null && <span class="viewer-cut">{file.failure}</span>}
        {status !== undefined && <span>{STATUS_WORDS[status]}</span>}
        {isText && <span>{languageWords(file.path)}</span>}
        {file.state !== "reading" && file.state !== "failed" && <span>{bytesWords(file.totalBytes)}</span>}
      </span>
    </footer>
  );
}

const STATUS_WORDS = { added: "Added", modified: "Modified", deleted: "Deleted" } as const;

function linesWords({ source, state, failure }: OpenFile, lines: Lines | null): string {
  const count = source.lineCount.toLocaleString("en");
  const isAll = state === "whole" && failure === null;
  const all = isAll ? count : `${count}+`;
  if (lines === null) return `${all} ${source.lineCount === 1 && isAll ? "line" : "lines"}`;
  const to = Math.min(lines.to, Math.max(source.lineCount, lines.from));
  const named = lines.from === to ? `Line ${lines.from}` : `Lines ${lines.from}–${to}`;
  return `${named} of ${all}`;
}

function languageWords(path: string): string {
  return fileLanguageId(path) === null ? "Plain text" : codeLanguageLabel(path.split(/[./]/).at(-1) ?? "");
}

function bytesWords(bytes: number): string {
  return bytes < KILO ? `${bytes} ${bytes === 1 ? "byte" : "bytes"}` : sizeWords(bytes);
}
