import { type ReadonlySignal, type Signal, useComputed } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { visiblePieces } from "../../lib/visible-text.ts";
import { cutBlocks, type HunkLine, lineWords } from "../../presentation/hunk-lines.ts";
import { splitPath } from "../../presentation/tool-line.ts";
import type { ReviewedFile, WaitingDiscard } from "../../protocol/changes.ts";
import { hasKeyboard } from "../../ui/controls/keep-focus.ts";
import { KeyHint } from "../../ui/controls/key-hint.tsx";
import { splitRows } from "../../ui/diff/diff-table.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { keyWords } from "../../ui/keys/key-bindings.ts";
import type { ChangesStore, Decision } from "./changes-store.ts";
import { targetName, WAITS } from "./changes-store.ts";
import { type BlockRow, LineBlock } from "./line-block.tsx";
import type { NearObserver } from "./near-observer.ts";
import { isAbout, REMARK_CHARS_MAX, type Remark, type RemarkPlace, standsBelow } from "./remarks.ts";
import { hunkAt, type ShownFile, type ShownHunk } from "./shown-changes.ts";

/** Lines of one hunk, by their position in it. */
export interface ChosenLines {
  readonly path: string;
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

/** What all parts of the view share. */
export interface ChangesParts {
  readonly store: ChangesStore;
  readonly near: NearObserver;
  readonly isSplit: ReadonlySignal<boolean>;
  readonly chosen: Signal<ChosenLines | null>;
  readonly agentName: ReadonlySignal<string>;
  /** The focus target of the current hunk; the element of a hunk has the key `path\nkey`, a file's has its path. */
  readonly places: Map<string, HTMLElement>;
  /** Focuses the current hunk when the focused element is removed. */
  readonly keepFocus: () => void;
  readonly openFile: (path: string, line: number) => void;
}

/** A name with signs for invisible characters, so that it never looks like another one. */
export function VisibleText({ text }: { readonly text: string }) {
  return (
    <>
      {visiblePieces(text).map(({ kind, text: shown }, at) =>
        kind === "text" ? (
          shown
        ) : (
          <span key={at} class="unseen">
            {shown}
          </span>
        ),
      )}
    </>
  );
}

/** The object of a button, for screen readers. */
function Aloud({ words }: { readonly words: string }) {
  return <span class="visually-hidden"> {words}</span>;
}

/** The directory less prominent than the name. */
export function PathWords({ path }: { readonly path: string }) {
  const { folder, file } = splitPath(path);
  return (
    <>
      {folder !== "" && (
        <span class="dir">
          <bdi dir="ltr">
            <VisibleText text={folder} />
          </bdi>
        </span>
      )}
      <span class="base" dir="ltr">
        <VisibleText text={file} />
      </span>
    </>
  );
}

export function LineCounts({ added, removed }: Pick<ReviewedFile, "added" | "removed">) {
  return (
    <>
      {added !== null && added > 0 && <span class="stat-add">+{added.toLocaleString("en")}</span>}
      {removed !== null && removed > 0 && <span class="stat-del">−{removed.toLocaleString("en")}</span>}
    </>
  );
}

const LINE_PX = 20;
const HEAD_PX = 70;
/** The height of a file before its hunks are known; a rough estimate is enough. */
const GUESSED_LINES_MAX = 200;
const CONTEXT_LINES = 6;

function guessedHeightPx({ added, removed }: ReviewedFile): number {
  return HEAD_PX + Math.min(GUESSED_LINES_MAX, (added ?? 0) + (removed ?? 0) + CONTEXT_LINES) * LINE_PX;
}

/** Files that are rendered together. */
export const GROUP_FILES = 40;

interface FileGroupProps {
  readonly parts: ChangesParts;
  readonly files: readonly ShownFile[];
  /** The reader is in one of its files. */
  readonly isWanted: boolean;
}

/** Some files of a long list. Until they come near the view they are one element with the height of all of them. */
export function FileGroup({ parts: { near }, parts, files, isWanted }: FileGroupProps) {
  const group = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const isDrawn = useRef(false);
  isDrawn.current ||= isNear || isWanted;
  useLayoutEffect(() => {
    const { current } = group;
    return current === null ? undefined : near.observe(current, setNear);
  }, []);
  const heightPx = isDrawn.current ? 0 : files.reduce((sum, { file }) => sum + guessedHeightPx(file), 0);
  return (
    <div ref={group} style={{ minHeight: isDrawn.current ? "" : `${heightPx}px` }}>
      {isDrawn.current && files.map((shown) => <FileSection key={shown.file.path} parts={parts} shown={shown} />)}
    </div>
  );
}

/** One file: its head, and its hunks as soon as it comes near the view. */
function FileSection({ parts, shown }: { readonly parts: ChangesParts; readonly shown: ShownFile }) {
  const { store, near, places } = parts;
  const { file } = shown;
  const { path } = file;
  const section = useRef<HTMLElement>(null);
  const [isDrawn, setDrawn] = useState(() => store.draft.peek()?.path === path);
  useLayoutEffect(() => {
    const { current } = section;
    if (current === null) return;
    places.set(path, current);
    const stop = near.observe(current, (isNear) => {
      store.setNear(path, isNear);
      if (isNear) setDrawn(true);
    });
    return () => {
      stop();
      places.delete(path);
      store.setNear(path, false);
    };
  }, [path]);
  const { file: name } = splitPath(path);
  const height = isDrawn && (shown.loaded !== null || shown.trouble !== null) ? undefined : guessedHeightPx(file);
  return (
    <section
      ref={section}
      class="review-file"
      aria-label={path}
      tabIndex={-1}
      style={{ minHeight: height === undefined ? "" : `${height}px` }}
    >
      {isDrawn && <FileHead parts={parts} shown={shown} name={name} />}
      {isDrawn && <FileBody parts={parts} shown={shown} />}
    </section>
  );
}

function FileHead({ parts, shown, name }: { parts: ChangesParts; shown: ShownFile; name: string }) {
  const { store } = parts;
  const { file, hunks, loaded, isSettled } = shown;
  const { path } = file;
  const isDeciding = store.deciding.value.has(path);
  const decided = hunks.filter(({ verdict }) => verdict !== "open").length;
  const waiting = useComputed(() => store.waitingFor(path, null)).value;
  const canDecide = !isSettled && file.review === "open" && waiting === undefined;
  const isText = loaded?.patch.kind === "text";
  return (
    // A file without hunks, such as a binary file, can only be decided about as a whole.
    <header class="review-file-head" data-whole={loaded !== null && hunks.length === 0 ? "" : undefined}>
      <h3 class="path">
        <PathWords path={path} />
      </h3>
      <LineCounts added={file.added} removed={file.removed} />
      <span class="end">
        {hunks.length > 0 && decided > 0 && (
          <span class="decided">
            {decided} of {hunks.length} decided
          </span>
        )}
        {canDecide && (
          <span class="file-decisions">
            {(["keep", "discard"] as const).map((decision) => (
              <button
                key={decision}
                type="button"
                class="button ghost small"
                disabled={isDeciding}
                onClick={() => store.decide(decision, { path })}
              >
                {DECISIONS[decision].word} file
                <Aloud words={name} />
              </button>
            ))}
          </span>
        )}
        {waiting !== undefined && !isSettled && <WaitingMark parts={parts} waiting={waiting} what={name} />}
        {isSettled && shown.whole && <SettledMark parts={parts} {...shown.whole} what={name} />}
        {isText && !isSettled && file.status === "modified" && (
          <button
            type="button"
            class="icon-button small"
            aria-label={`Show whole file ${name}`}
            title={loaded.whole ? "Show changes only" : "Show whole file"}
            aria-pressed={loaded.whole}
            onClick={() => store.toggleWhole(path)}
          >
            <Icon name="updown" class="icon-sm" />
          </button>
        )}
        {file.status !== "deleted" && (
          <button
            type="button"
            class="icon-button small"
            aria-label={`Open ${name}`}
            title="Open file"
            onClick={() => parts.openFile(path, firstLineOf(hunks))}
          >
            <Icon name="open" class="icon-sm" />
          </button>
        )}
        {!isSettled && <ViewedTick parts={parts} file={file} label={`Mark ${name} as viewed`} hasKey />}
      </span>
    </header>
  );
}

function firstLineOf(hunks: readonly ShownHunk[]): number {
  const line = hunks[0]?.lines.find(({ kind }) => kind !== "same");
  return line?.newNumber ?? line?.oldNumber ?? 1;
}

interface ViewedTickProps {
  readonly parts: Pick<ChangesParts, "store">;
  readonly file: ReviewedFile;
  readonly label: string;
  readonly hasKey?: boolean;
}

export function ViewedTick({ parts: { store }, file, label, hasKey = false }: ViewedTickProps) {
  return (
    <label class="check quiet">
      <input
        type="checkbox"
        aria-label={label}
        checked={file.viewed}
        onChange={({ currentTarget }) => store.setViewed(file.path, currentTarget.checked)}
      />
      <span>Viewed</span>
      {hasKey && <KeyHint name={keyWords("changes-viewed")} />}
    </label>
  );
}

function FileBody({ parts, shown }: { parts: ChangesParts; shown: ShownFile }) {
  const { store } = parts;
  const { file, loaded, trouble, hunks } = shown;
  const { path } = file;
  const lost = useComputed(() => {
    const draftId = store.draft.value?.id;
    return store.remarks.value.filter(
      (remark) => remark.path === path && remark.id !== draftId && !hunks.some(({ lines }) => hasPlace(lines, remark)),
    );
  }).value;
  if (trouble !== null)
    return (
      <p class="file-note" role="alert">
        {trouble}
        <button type="button" class="button small" onClick={() => store.retry()}>
          Try again
        </button>
      </p>
    );
  if (loaded === null)
    return (
      <div class="file-loading" aria-hidden="true">
        <i class="skeleton long" />
        <i class="skeleton half" />
      </div>
    );
  const { patch } = loaded;
  return (
    <>
      {file.review === "moved-on" && (
        <p class="file-note">This file changed again after this turn. Decide about it under Unreviewed.</p>
      )}
      {lost.map((remark) => (
        <RemarkCard key={remark.id} parts={parts} remark={remark} />
      ))}
      {patch.kind === "too-large" && (
        <p class="file-note">
          This change is large.
          <button type="button" class="button small" onClick={() => store.toggleWhole(path)}>
            {patch.lines > 1 ? `Show ${patch.lines.toLocaleString("en")} lines` : `Show ${sizeWords(patch.bytes)}`}
          </button>
        </p>
      )}
      {"words" in patch && <p class="file-note">{patch.words}</p>}
      {patch.kind === "text" && hunks.length === 0 && shown.whole === null && (
        <p class="file-note">{file.status === "added" ? "This file is empty." : "Only its place or mode changed."}</p>
      )}
      {hunks.map((hunk) => (
        <HunkSection key={hunk.key} parts={parts} file={file} shown={hunk} />
      ))}
    </>
  );
}

function sizeWords(bytes: number): string {
  const [kb, mb] = [1_000, 1_000_000];
  return bytes >= mb ? `${(bytes / mb).toFixed(1)} MB` : `${Math.ceil(bytes / kb)} kB`;
}

const DECISIONS = {
  keep: { word: "Keep", keyId: "changes-keep" },
  discard: { word: "Discard", keyId: "changes-discard" },
} as const satisfies Record<Decision, unknown>;

interface HunkProps {
  readonly parts: ChangesParts;
  readonly file: ReviewedFile;
  readonly shown: ShownHunk;
}

/** One place where the file changed. Until it comes near the view it has only the height of its lines. */
function HunkSection({ parts, file, shown }: HunkProps) {
  const { store, near, places } = parts;
  const { path } = file;
  const { key, lines, range, verdict } = shown;
  const section = useRef<HTMLElement>(null);
  // An open editor is rendered even far from the view: it would lose the focus otherwise.
  const [isDrawn, setDrawn] = useState(() => {
    const draft = store.draft.peek();
    return draft?.path === path && hasPlace(lines, draft);
  });
  useLayoutEffect(() => {
    const { current } = section;
    if (current === null) return;
    const name = `${path}\n${key}`;
    places.set(name, current);
    const stop = near.observe(current, (isNear) => isNear && setDrawn(true));
    return () => {
      stop();
      if (places.get(name) === current) places.delete(name);
    };
  }, [path, key]);
  const isCurrent = useComputed(() => {
    const place = store.current.value;
    return place?.path === path && hunkAt(store.files.value, place)?.key === key;
  }).value;
  // A button is removed by its decision, and would lose the focus; the file had it until its hunks arrived.
  useLayoutEffect(() => {
    const isNext = isCurrent && document.activeElement === places.get(path);
    if (!isNext) parts.keepFocus();
    else if (hasKeyboard(document)) section.current?.focus({ preventScroll: true });
  }, [verdict, isCurrent]);
  return (
    <section
      ref={section}
      class="hunk"
      aria-label={`${range} of ${path}`}
      aria-current={isCurrent ? "true" : undefined}
      tabIndex={-1}
      data-hunk={key}
      data-path={path}
      data-verdict={verdict === "open" ? undefined : verdict}
      style={{ minHeight: isDrawn ? "" : `${HEAD_PX / 2 + lines.length * LINE_PX}px` }}
    >
      {isDrawn && <HunkHead parts={parts} file={file} shown={shown} isCurrent={isCurrent} />}
      {isDrawn && <HunkDiff parts={parts} file={file} shown={shown} />}
    </section>
  );
}

function HunkHead({ parts, file, shown, isCurrent }: HunkProps & { readonly isCurrent: boolean }) {
  const { store } = parts;
  const { path } = file;
  const { key, range, verdict, undoId, hunk } = shown;
  const isDeciding = store.deciding.value.has(targetName({ kind: "hunk", path, shown }));
  const waiting = useComputed(() => (verdict === "open" ? store.waitingFor(path, hunk.hunkId) : undefined)).value;
  const isOfHunk = waiting !== undefined && store.waitingFor(path, null) === undefined;
  const where =
    hunk.heading ?? (file.status === "added" ? "new file" : file.status === "deleted" ? "deleted file" : "");
  return (
    <header class="hunk-head">
      <h4>{range}</h4>
      {where !== "" && (
        <span class="where" title={where}>
          <VisibleText text={where.trim()} />
        </span>
      )}
      <span class="end">
        {isOfHunk && <WaitingMark parts={parts} waiting={waiting} what={range} />}
        {verdict === "open" &&
          file.review === "open" &&
          waiting === undefined &&
          (["keep", "discard"] as const).map((decision) => (
            <button
              key={decision}
              type="button"
              class={decision === "keep" && isCurrent ? "button small" : "button ghost small"}
              disabled={isDeciding}
              onClick={() => store.decide(decision, { path, key })}
            >
              {DECISIONS[decision].word}
              <Aloud words={range} />
              {isCurrent && <KeyHint name={keyWords(DECISIONS[decision].keyId)} />}
            </button>
          ))}
        {verdict !== "open" && <SettledMark parts={parts} verdict={verdict} undoId={undoId} what={range} />}
      </span>
    </header>
  );
}

interface WaitingMarkProps {
  readonly parts: Pick<ChangesParts, "store">;
  readonly waiting: WaitingDiscard;
  readonly what: string;
}

/** The user has discarded it, and an agent still works. */
function WaitingMark({ parts: { store }, waiting, what }: WaitingMarkProps) {
  return (
    <>
      <span class="verdict" title={WAITS}>
        <Icon name="clock" class="icon-sm" />
        Discard waits
      </span>
      <button type="button" class="button ghost small" onClick={() => store.cancelWaiting(waiting)}>
        Cancel
        <Aloud words={`discarding ${what}`} />
      </button>
    </>
  );
}

interface SettledMarkProps {
  readonly parts: Pick<ChangesParts, "store">;
  readonly verdict: "kept" | "discarded";
  readonly undoId: string | null;
  readonly what: string;
}

function SettledMark({ parts: { store }, verdict, undoId, what }: SettledMarkProps) {
  const isLast = useComputed(() => undoId !== null && store.state.value?.decisions[0]?.undoId === undoId).value;
  const canUndo = useComputed(() => store.state.value?.decisions.some((one) => one.undoId === undoId) === true).value;
  return (
    <>
      <span class="verdict" data-verdict={verdict}>
        <Icon name={verdict === "kept" ? "check" : "trash"} class="icon-sm" />
        {verdict === "kept" ? "Kept" : "Discarded"}
      </span>
      {undoId !== null && canUndo && (
        <button
          type="button"
          class={verdict === "kept" ? "button ghost small" : "button small"}
          onClick={() => store.undo(undoId)}
        >
          Undo
          <Aloud words={`${verdict === "kept" ? "keeping" : "discarding"} ${what}`} />
          {isLast && <KeyHint name={keyWords("changes-undo")} />}
        </button>
      )}
    </>
  );
}

function HunkDiff({ parts, file: { path }, shown }: HunkProps) {
  const { store, near, chosen } = parts;
  const { key, hunk, lines, range } = shown;
  const isSplit = parts.isSplit.value;
  const remarks = useComputed(() => store.remarks.value.filter((remark) => remark.path === path)).value;
  const draft = useComputed(() => (store.draft.value?.path === path ? store.draft.value : null)).value;
  const stillChosen = useComputed(() => {
    const now = chosen.value;
    const written = store.draft.value;
    // A remark that was begun keeps its lines, wherever they are in the hunk by now.
    if (written === null) return now?.path === path && now.key === key ? now : null;
    if (written.path !== path) return null;
    const from = lines.findIndex((line) => isAbout(written, line));
    return from === -1 ? null : { from, to: lines.findLastIndex((line) => isAbout(written, line)) };
  });
  const saved = remarks.filter(({ id }) => id !== draft?.id);
  const marks = [...saved, ...(draft ? [draft] : [])].map(({ side, to }) => `${side}${to}`).join();
  const blocks = useMemo(() => {
    const rows: readonly BlockRow[] = isSplit
      ? splitRows(lines).flatMap((row) => (row.kind === "fold" ? [] : row))
      : lines;
    const isBelow = (row: BlockRow) =>
      linesIn(row).some((line) => [...saved, ...(draft ? [draft] : [])].some((one) => standsBelow(one, line)));
    const charsIn = (row: BlockRow) => linesIn(row).reduce((chars, line) => chars + line.text.length, 0);
    return cutBlocks(rows, charsIn, isBelow);
  }, [lines, isSplit, marks]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, and what scrolls must be reachable by keyboard
    <section class={isSplit ? "diff split" : "diff"} aria-label={`Changes, ${range}`} tabIndex={0}>
      <div class="line-blocks">
        {blocks.map((rows, at) => {
          const last = rows.at(-1);
          const below =
            last === undefined ? [] : saved.filter((one) => linesIn(last).some((line) => standsBelow(one, line)));
          const isDraft = last !== undefined && draft && linesIn(last).some((line) => standsBelow(draft, line));
          return (
            <div key={at}>
              <LineBlock path={path} hunk={hunk} lines={lines} rows={rows} near={near} chosen={stillChosen} />
              {below.map((remark) => (
                <RemarkCard key={remark.id} parts={parts} remark={remark} />
              ))}
              {isDraft && <RemarkEditor key={`draft ${draft.id}`} parts={parts} />}
            </div>
          );
        })}
      </div>
    </section>
  );
}

function linesIn(row: BlockRow): readonly HunkLine[] {
  if (row.kind !== "pair") return [row];
  return row.before === row.after
    ? [row.before].flatMap((line) => line ?? [])
    : [row.before, row.after].flatMap((line) => line ?? []);
}

function PlaceNote({ place, isLost }: { readonly place: RemarkPlace; readonly isLost: boolean }) {
  if (!isLost) return <span class="at">{placeWords(place)}</span>;
  return (
    <span class="at">
      <PathWords path={place.path} />, {placeWords(place).toLowerCase()}: no longer among the changes
    </span>
  );
}

function placeWords({ side, from, to }: RemarkPlace): string {
  const words = lineWords([from, to]);
  return side === "old" ? `${words}, removed` : words;
}

function hasPlace(lines: readonly HunkLine[], remark: RemarkPlace): boolean {
  return lines.some((line) => standsBelow(remark, line));
}

/** Remarks whose file is no longer among the changes, and the one being edited when its lines are not: none is lost. */
export function LostRemarks({ parts }: { parts: ChangesParts }) {
  const { store } = parts;
  const files = store.files.value;
  const draft = store.draft.value;
  const isShown = (remark: RemarkPlace) => files.some(({ file }) => file.path === remark.path);
  const lost =
    store.state.value === null ? [] : store.remarks.value.filter((one) => one.id !== draft?.id && !isShown(one));
  const isInPlace = files.some(
    ({ file, loaded, trouble, hunks }) =>
      file.path === draft?.path &&
      loaded !== null &&
      trouble === null &&
      hunks.some(({ lines }) => hasPlace(lines, draft)),
  );
  const hasDraft = draft !== null && !isInPlace;
  if (lost.length === 0 && !hasDraft) return null;
  return (
    <section class="lost-remarks" aria-label="Remarks on lines that are gone">
      {lost.map((remark) => (
        <RemarkCard key={remark.id} parts={parts} remark={remark} isLost />
      ))}
      {hasDraft && <RemarkEditor key={`draft ${draft.id}`} parts={parts} isLost />}
    </section>
  );
}

interface RemarkCardProps {
  readonly parts: ChangesParts;
  readonly remark: Remark;
  readonly isLost?: boolean;
}

/** A remark that was written and not sent. */
function RemarkCard({ parts: { store }, remark, isLost = false }: RemarkCardProps) {
  const words = placeWords(remark);
  return (
    <div class="remark-row">
      <article class="remark" aria-label={`Remark on ${words.toLowerCase()}`}>
        <p>{remark.text}</p>
        <div class="remark-foot">
          <PlaceNote place={remark} isLost={isLost} />
          <button type="button" class="button ghost small" onClick={() => store.deleteRemark(remark.id)}>
            Delete
          </button>
          <button type="button" class="button small" onClick={() => store.editRemark(remark.id)}>
            Edit
          </button>
        </div>
      </article>
    </div>
  );
}

function RemarkEditor({ parts, isLost = false }: { readonly parts: ChangesParts; readonly isLost?: boolean }) {
  const { store } = parts;
  const draft = store.draft.value;
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (hasKeyboard(document)) field.current?.focus({ preventScroll: true });
    field.current?.form?.scrollIntoView({ block: "nearest" });
    // Moves the focus when it is removed.
    return () => queueMicrotask(() => parts.keepFocus());
  }, []);
  if (draft === null) return null;
  const words = placeWords(draft);
  return (
    <div class="remark-row">
      <form
        class="remark"
        onSubmit={(event) => {
          event.preventDefault();
          store.saveRemark();
        }}
      >
        <textarea
          ref={field}
          rows={2}
          aria-label={`Remark on ${words.toLowerCase()}`}
          placeholder="What should change here?"
          maxLength={REMARK_CHARS_MAX}
          value={draft.text}
          onInput={({ currentTarget }) => store.typeRemark(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || event.isComposing) return;
            event.preventDefault();
            event.stopPropagation();
            store.cancelRemark();
          }}
        />
        <div class="remark-foot">
          <PlaceNote place={draft} isLost={isLost} />
          <button
            type="button"
            class="button ghost small"
            onClick={() => (draft.id === null ? store.cancelRemark() : store.deleteRemark(draft.id))}
          >
            {draft.id === null ? "Cancel" : "Delete"}
          </button>
          <button type="submit" class="button small" disabled={draft.text.trim() === ""}>
            Save
          </button>
          <SendRemarks parts={parts} />
        </div>
      </form>
    </div>
  );
}

/** All remarks go as one message. */
export function SendRemarks({ parts: { store, agentName } }: { parts: Pick<ChangesParts, "store" | "agentName"> }) {
  const draft = store.draft.value;
  const saved = store.remarks.value.filter(({ id }) => id !== draft?.id).length;
  const count = saved + (draft !== null && draft.text.trim() !== "" ? 1 : 0);
  return (
    <button type="button" class="button primary small" disabled={count === 0} onClick={() => store.sendRemarks()}>
      {`Send ${count === 1 ? "1 remark" : `${count} remarks`} to ${agentName.value}`}
      <KeyHint name={keyWords("changes-send")} />
    </button>
  );
}
