import { computed, type Signal, signal, useComputed } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { leftOutWords } from "../../presentation/changes-words.ts";
import type { ChangeCounts, ChangesScope, ChangesState, LeftOutFile } from "../../protocol/changes.ts";
import { hasKeyboard } from "../../ui/controls/keep-focus.ts";
import { KeyHint } from "../../ui/controls/key-hint.tsx";
import { Icon } from "../../ui/icons/icon.tsx";
import { ariaKeys, keyWords, withKey } from "../../ui/keys/key-bindings.ts";
import { findShortcut } from "../../ui/keys/shell-shortcut.ts";
import { type ChangesWish, IN_CHANGES } from "../../ui/keys/shortcut-table.ts";
import { pressOf } from "../portlet-keys.ts";
import { type PortletModel, usePiece } from "../portlet-model.ts";
import type { PanelView } from "../side-panel.tsx";
import {
  type ChangesParts,
  type ChosenLines,
  FileGroup,
  GROUP_FILES,
  LineCounts,
  LostRemarks,
  PathWords,
  SendRemarks,
  ViewedTick,
} from "./changes-body.tsx";
import { allFiles, type ChangesNotice, ChangesStore, decisionWords, filesWords, WAITS } from "./changes-store.ts";
import { NearObserver } from "./near-observer.ts";
import { ReviewDrafts, remarkPlace } from "./remarks.ts";
import { FIRST, hunkAt, type ShownFile } from "./shown-changes.ts";

/** Both halves need about this much room. */
const SPLIT_WIDTH_MIN_PX = 600;
/** The same choice as in the transcript's diffs. */
const CHOICE_KEY = "liminal:diff";

let kept: ChangesStore | null = null;

/** One for each frame: remarks outlive the view. */
function storeFor(model: PortletModel): ChangesStore {
  // The element of the frame belongs to the page's window, and is no instance of this window's HTMLElement.
  const sessionName = window.frameElement?.getAttribute("data-session-id") ?? "own";
  kept ??= new ChangesStore({
    request: (question) => model.store.request(question),
    newId: () => crypto.randomUUID(),
    storage: new ReviewDrafts(sessionName, sessionStorage),
    send: (prompt) => model.store.submit(prompt),
  });
  return kept;
}

interface ChangesPanelProps {
  readonly model: PortletModel;
  readonly view: Extract<PanelView, { name: "changes" }>;
}

/** Review of what agents changed: files, their hunks, decisions and remarks. */
export function ChangesPanel({ model, view }: ChangesPanelProps) {
  const root = useRef<HTMLDivElement>(null);
  const parts = useMemo(() => createParts(model, () => bodyIn(root.current)), []);
  const { store, chosen } = parts;
  // Which changes there are is known once the session's history is here.
  const isDecided = usePiece(model, (state) => state.isOpened) || view.scope !== null;
  useEffect(() => {
    if (!isDecided) return;
    const hasOpen = model.state.peek().session.changes !== null;
    store.open(view.scope ?? { kind: hasOpen ? "unreviewed" : "base" }, view.path);
  }, [view, isDecided]);
  useLayoutEffect(() => {
    model.store.onChanges = (state) => store.receive(state);
    bodyIn(root.current)?.focus({ preventScroll: true });
    const moved = ({ target }: FocusEvent) => {
      parts.hadFocus.value = target instanceof Node && root.current?.contains(target) === true;
    };
    document.addEventListener("focusin", moved);
    return () => {
      document.removeEventListener("focusin", moved);
      model.store.onChanges = null;
      store.leave();
    };
  }, []);
  const isConnected = usePiece(model, (state) => state.isConnected);
  const [wasConnected, setWasConnected] = useState(isConnected);
  useEffect(() => {
    if (isConnected && !wasConnected) store.retry(); // the server has lost its viewers
    setWasConnected(isConnected);
  }, [isConnected]);
  const isWriting = store.draft.value !== null;
  useLayoutEffect(() => {
    if (!isWriting) chosen.value = null;
  }, [isWriting]);
  const leave = () => model.panel.close();
  const merge = () => {
    if (model.state.peek().session.worktree !== null) model.store.show("merge");
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that work anywhere in the view
    <div
      class="changes-frame focus-inset"
      ref={root}
      tabIndex={-1}
      onKeyDown={(event) => press(event, parts, leave, merge)}
    >
      <Head model={model} parts={parts} leave={leave} />
      <Body parts={parts} stop={() => model.store.cancelTurn()} />
      <Foot parts={parts} />
      <div class="visually-hidden" role="status">
        {store.spoken.value}
      </div>
    </div>
  );
}

function bodyIn(root: HTMLElement | null): HTMLElement | null {
  return root?.querySelector<HTMLElement>(".changes-body") ?? null;
}

interface PanelParts extends ChangesParts {
  /** The view had the focus last. */
  readonly hadFocus: { value: boolean };
  readonly isSplit: Signal<boolean>;
  readonly wantsSplit: Signal<boolean>;
  readonly isWide: Signal<boolean>;
}

function createParts(model: PortletModel, body: () => HTMLElement | null): PanelParts {
  const store = storeFor(model);
  const places = new Map<string, HTMLElement>();
  const hadFocus = { value: false };
  const isWide = signal(true);
  const wantsSplit = signal(localStorage.getItem(CHOICE_KEY) === "split");
  return {
    store,
    near: new NearObserver(),
    isWide,
    wantsSplit,
    isSplit: computed(() => wantsSplit.value && isWide.value),
    chosen: signal<ChosenLines | null>(null),
    agentName: computed(() => model.state.value.agentName),
    places,
    hadFocus,
    keepFocus: () => {
      const isFree = document.activeElement === null || document.activeElement === document.body;
      if (hadFocus.value && isFree && hasKeyboard(document))
        (currentElement(store, places) ?? body())?.focus({ preventScroll: true });
    },
    openFile: (path, line) => {
      // Paths start at the top of the repository, those of the Files view at the session's directory.
      const prefix = store.state.peek()?.prefix ?? "";
      const start = prefix === "" ? "" : `${prefix}/`;
      if (!path.startsWith(start))
        model.store.notify(`${path} is outside this session's directory, so it cannot be shown here.`);
      else
        model.panel.open({
          name: "files",
          place: { path: path.slice(start.length), lines: { from: line, to: line } },
        });
    },
  };
}

/** The current hunk, or its file while the hunk has not loaded. */
function currentElement(store: ChangesStore, places: ReadonlyMap<string, HTMLElement>): HTMLElement | undefined {
  const place = store.current.peek();
  if (place === null) return undefined;
  const hunk = hunkAt(store.files.peek(), place);
  return (hunk && places.get(`${place.path}\n${hunk.key}`)) ?? places.get(place.path);
}

function press(event: KeyboardEvent, parts: PanelParts, leave: () => void, merge: () => void): void {
  if (event.defaultPrevented || event.isComposing) return;
  const { target } = event;
  const isTick = target instanceof HTMLInputElement && (target.type === "checkbox" || target.type === "radio");
  const pressed = pressOf(event);
  const wish = findShortcut(IN_CHANGES, { ...pressed, typing: pressed.typing && !isTick });
  if (wish === null) return;
  if (wish === "send-remarks" && parts.store.commitForm.peek() !== null) return; // the form's own key
  event.preventDefault();
  if (wish === "merge") merge();
  else act(wish, parts, leave);
}

function act(wish: Exclude<ChangesWish, "merge">, { store, wantsSplit, chosen }: PanelParts, leave: () => void): void {
  switch (wish) {
    case "next-hunk":
    case "previous-hunk":
      store.stepHunk(wish === "next-hunk" ? 1 : -1);
      return;
    case "next-file":
    case "previous-file":
      store.stepFile(wish === "next-file" ? 1 : -1);
      return;
    case "keep":
    case "discard":
      store.decideCurrent(wish);
      return;
    case "undo":
      store.undo();
      return;
    case "viewed":
      store.toggleViewed();
      return;
    case "side-by-side":
      toggleSplit(wantsSplit);
      return;
    case "remark":
      remarkOnCurrent(store, chosen);
      return;
    case "send-remarks":
      store.sendRemarks();
      return;
    case "commit":
      store.openCommit();
      return;
    case "leave":
      if (store.commitForm.peek() === null) leave();
      else store.closeCommit();
      return;
    default:
      wish satisfies never;
  }
}

function toggleSplit(wantsSplit: Signal<boolean>): void {
  wantsSplit.value = !wantsSplit.peek();
  localStorage.setItem(CHOICE_KEY, wantsSplit.peek() ? "split" : "unified");
}

/** On what changed in the hunk: its new lines, or the old ones where there are none. */
function remarkOnCurrent(store: ChangesStore, chosen: Signal<ChosenLines | null>): void {
  store.withCurrent((path, { key, lines }) => {
    const kind = lines.some((line) => line.kind === "added") ? "added" : "removed";
    const from = lines.findIndex((line) => line.kind === kind);
    const to = lines.findLastIndex((line) => line.kind === kind);
    startRemark(store, chosen, { path, key, from, to });
  });
}

function startRemark(store: ChangesStore, chosen: Signal<ChosenLines | null>, lines: ChosenLines): void {
  const hunk = hunkAt(store.files.peek(), lines);
  const place = hunk && remarkPlace(lines.path, hunk.lines.slice(lines.from, lines.to + 1));
  if (!place) return;
  chosen.value = lines;
  store.startRemark(place);
}

const SCOPE_WORDS = { base: "Since base", unreviewed: "Unreviewed", turn: "This turn" } as const;

/** The branch, the scope and its counts. */
function Head({ model, parts, leave }: { model: PortletModel; parts: PanelParts; leave: () => void }) {
  const { store, isWide, wantsSplit } = parts;
  const worktree = usePiece(model, ({ session }) => session.worktree);
  const base = usePiece(model, (shown) => shown.base);
  const overlap = usePiece(model, (shown) => shown.overlap);
  const scope = store.scope.value;
  const state = store.state.value;
  const last = useRef<ChangesState | null>(null);
  if (state !== null) last.current = state;
  const known = last.current;
  const files = store.files.value.filter(({ isSettled }) => !isSettled);
  const viewed = files.filter(({ file }) => file.viewed).length;
  const branch = known?.head?.branch ?? (known?.head?.commit ? `Detached at ${known.head.commit.slice(0, 8)}` : null);
  const counts = known === null ? null : countsOf(known, scope);
  const isEarlier = scope.kind === "turn" && known !== null && scope.turnId !== known.lastTurnId;
  return (
    <>
      <header class="changes-where">
        <Icon name={known?.head === null ? "folder" : "branch"} class="icon-sm" />
        <h2>
          <span class="visually-hidden">Changes </span>
          <b class="truncate">{branch ?? (known?.head === null ? "No Git repository" : "Changes")}</b>
          {worktree !== null && base !== null && (
            <span class="into truncate">
              <span aria-hidden="true">→</span>
              <span class="visually-hidden"> from </span> {base}
            </span>
          )}
        </h2>
        {overlap !== null && (
          <span class="tag warn" title={overlap.details}>
            <Icon name="alert" class="icon-sm" />
            <span class="truncate">{overlap.words}</span>
          </span>
        )}
      </header>
      <div class="changes-actions">
        {known?.head != null && (
          <button
            type="button"
            class="button"
            aria-keyshortcuts={ariaKeys("changes-commit")}
            disabled={known.counts.base.files === 0 && known.submodules.length === 0}
            onClick={() => store.openCommit()}
          >
            Commit
            <KeyHint name={keyWords("changes-commit")} />
          </button>
        )}
        {worktree !== null && (
          <button
            type="button"
            class="button"
            aria-keyshortcuts={ariaKeys("changes-merge")}
            onClick={() => model.store.show("merge")}
          >
            Merge
            <KeyHint name={keyWords("changes-merge")} />
          </button>
        )}
        <button
          type="button"
          class="icon-button"
          aria-label="Close changes"
          title={withKey("Close", "changes-leave")}
          onClick={leave}
        >
          <Icon name="close" />
        </button>
      </div>
      <div class="changes-scope">
        {/* biome-ignore lint/a11y/useSemanticElements: buttons of one choice, as elsewhere in the page */}
        <span class="segmented small" role="group" aria-label="Scope">
          {(["base", "unreviewed", "turn"] as const).map((kind) => {
            const next = scopeOf(kind, scope, known);
            const count = known === null ? null : kind === "turn" && isEarlier ? known.total : countsFor(known, kind);
            return (
              <button
                key={kind}
                type="button"
                aria-pressed={scope.kind === kind}
                disabled={next === null}
                onClick={() => next && store.open(next, null)}
              >
                {kind === "turn" && isEarlier ? "Earlier turn" : SCOPE_WORDS[kind]}
                {count !== null && <span class="n">{count}</span>}
              </button>
            );
          })}
        </span>
        <span class="end">
          {counts !== null && (
            <>
              <span class="wide">{counts.files === 1 ? "1 file" : `${counts.files.toLocaleString("en")} files`}</span>
              <LineCounts added={counts.added} removed={counts.removed} />
            </>
          )}
          <span class="spacer" />
          {files.length > 0 && (
            <span class="faint">
              {viewed} of {files.length} viewed
            </span>
          )}
          {isWide.value && (
            <button
              type="button"
              class="icon-button small"
              aria-pressed={wantsSplit.value}
              aria-label="Side by side"
              title={withKey("Side by side", "changes-split")}
              onClick={() => toggleSplit(wantsSplit)}
            >
              <Icon name="columns" class="icon-sm" />
            </button>
          )}
        </span>
      </div>
    </>
  );
}

function scopeOf(kind: ChangesScope["kind"], now: ChangesScope, state: ChangesState | null): ChangesScope | null {
  if (kind !== "turn") return { kind };
  if (now.kind === "turn") return now;
  return state?.lastTurnId ? { kind: "turn", turnId: state.lastTurnId } : null;
}

function countsFor({ counts }: ChangesState, kind: ChangesScope["kind"]): number | null {
  return counts[kind]?.files ?? null;
}

/** Of the scope in view; an earlier turn is counted by its files. */
function countsOf({ counts, files, total, scope }: ChangesState, wanted: ChangesScope): ChangeCounts | null {
  if (wanted.kind !== "turn") return counts[wanted.kind];
  if (scope.kind !== "turn") return counts.turn;
  const sum = (of: "added" | "removed") => files.reduce((lines, file) => lines + (file[of] ?? 0), 0);
  return { files: total, added: sum("added"), removed: sum("removed") };
}

function Body({ parts, stop }: { parts: PanelParts; stop: () => void }) {
  const { store, near } = parts;
  const scroller = useRef<HTMLElement>(null);
  const files = store.files.value;
  const state = store.state.value;
  const trouble = store.trouble.value;
  const hasSubmodules = state?.scope.kind === "base" && state.submodules.length > 0;
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    near.start(current);
    const measured = new ResizeObserver(() => {
      parts.isWide.value = current.clientWidth >= SPLIT_WIDTH_MIN_PX;
    });
    measured.observe(current);
    const stopChoosing = chooseLines(current, parts);
    return () => {
      near.stop();
      measured.disconnect();
      stopChoosing();
    };
  }, []);
  useFollowCurrent(parts, scroller);
  const groups = useMemo(
    () =>
      Array.from({ length: Math.ceil(files.length / GROUP_FILES) }, (_, at) =>
        files.slice(at * GROUP_FILES, (at + 1) * GROUP_FILES),
      ),
    [files],
  );
  const currentPath = store.current.value?.path;
  const currentGroup = Math.floor(files.findIndex(({ file }) => file.path === currentPath) / GROUP_FILES);
  return (
    <>
      <div class="changes-notes">
        <Notes parts={parts} stop={stop} />
        <CommitForm parts={parts} />
        <LostRemarks parts={parts} />
        {files.length > 0 && <FileList parts={parts} files={files} />}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and what scrolls must be reachable by keyboard */}
      <section class="changes-body" ref={scroller} aria-label="Hunks" tabIndex={0}>
        {trouble !== null && state === null && <Trouble parts={parts} trouble={trouble} />}
        {trouble === null && state === null && <Loading />}
        {state !== null && files.length === 0 && !hasSubmodules && <Nothing scope={store.scope.value} />}
        {state !== null && hasSubmodules && <MovedSubmodules state={state} />}
        {groups.map((group, at) => (
          <FileGroup key={at} parts={parts} files={group} isWanted={at === currentGroup} />
        ))}
        {state !== null && state.leftOut.length > 0 && <LeftOut state={state} />}
      </section>
    </>
  );
}

function Loading() {
  return (
    <div class="file-loading" role="status" aria-label="Loading changes">
      <i class="skeleton half" />
      <i class="skeleton long" />
      <i class="skeleton long" />
      <i class="skeleton half" />
    </div>
  );
}

/** Scrolls to the current hunk and focuses it, unless the focus is elsewhere or the user types. */
function useFollowCurrent({ store, places }: PanelParts, scroller: RefObject<HTMLElement | null>): void {
  const current = store.current.value;
  const resolved = useComputed(() => hunkAt(store.files.value, store.current.value)?.key ?? null).value;
  useLayoutEffect(() => {
    if (current === null || scroller.current === null) return;
    const active = document.activeElement;
    const root = scroller.current.closest(".changes-frame");
    const isHere = active === null || active === document.body || root?.contains(active) === true;
    const element = currentElement(store, places);
    // A jump to a file shows it from its head on.
    if (current.key === FIRST) places.get(current.path)?.scrollIntoView({ block: "start" });
    else element?.scrollIntoView({ block: "nearest" });
    if (isHere && !(active instanceof HTMLTextAreaElement) && hasKeyboard(document))
      element?.focus({ preventScroll: true });
  }, [current, resolved]);
}

/** Lines are selected by their numbers: a click, a drag, or Shift with a click. */
function chooseLines(scroller: HTMLElement, { store, chosen }: PanelParts): () => void {
  let anchor: ChosenLines | null = null;
  let isDragging = false;
  const lineAt = (target: EventTarget | null): ChosenLines | null => {
    if (!(target instanceof Element)) return null;
    const line = target.closest<HTMLElement>("[data-line]")?.dataset["line"];
    const { hunk, path } = target.closest<HTMLElement>(".hunk")?.dataset ?? {};
    if (line === undefined || hunk === undefined || path === undefined) return null;
    return { path, key: hunk, from: Number(line), to: Number(line) };
  };
  const reach = (from: ChosenLines, to: ChosenLines): ChosenLines =>
    from.path === to.path && from.key === to.key
      ? { ...from, from: Math.min(from.from, to.from), to: Math.max(from.to, to.to) }
      : from;
  const down = (event: PointerEvent) => {
    const { target, shiftKey, button } = event;
    if (button !== 0 || !(target instanceof Element) || target.closest("td.n") === null) return;
    const line = lineAt(target);
    if (line === null) return;
    event.preventDefault();
    const before = chosen.peek();
    anchor = shiftKey && before !== null ? before : line;
    chosen.value = reach(anchor, line);
    isDragging = true;
  };
  const move = ({ clientX, clientY }: PointerEvent) => {
    const line = isDragging ? lineAt(document.elementFromPoint(clientX, clientY)) : null;
    if (line !== null && anchor !== null) chosen.value = reach(anchor, line);
  };
  const up = () => {
    if (!isDragging) return;
    isDragging = false;
    const lines = chosen.peek();
    if (lines !== null) startRemark(store, chosen, lines);
  };
  scroller.addEventListener("pointerdown", down);
  scroller.addEventListener("pointermove", move);
  addEventListener("pointerup", up);
  return () => removeEventListener("pointerup", up);
}

function Trouble({ parts: { store }, trouble }: { parts: PanelParts; trouble: ChangesNotice }) {
  return (
    <div class="empty" role="alert">
      <Icon name="alert" />
      <h3>Changes can't be shown</h3>
      <p>{trouble.words}</p>
      {trouble.output !== undefined && <pre class="git-output">{trouble.output}</pre>}
      <div class="actions">
        <button type="button" class="button" onClick={() => store.retry()}>
          Try again
        </button>
      </div>
    </div>
  );
}

const NOTHING = {
  base: { title: "No changes", words: "Nothing changed since the last commit." },
  unreviewed: { title: "Nothing to review", words: "New changes appear here as agents make them." },
  turn: { title: "No changes", words: "This turn changed no files." },
} as const;

function Nothing({ scope }: { scope: ChangesScope }) {
  const { title, words } = NOTHING[scope.kind];
  return (
    <div class="empty">
      <Icon name="check" />
      <h3>{title}</h3>
      <p>{words}</p>
    </div>
  );
}

/** What the user has to know before deciding. */
function Notes({ parts: { store }, stop }: { parts: PanelParts; stop: () => void }) {
  const state = store.state.value;
  const notice = store.notice.value;
  const cutOff = state?.cutOff ?? null;
  const hidden = state === null ? 0 : state.total - state.files.length;
  return (
    <>
      {cutOff !== null && (
        <div class="notice" data-severity="warning" role="alert">
          <Icon name="alert" />
          <div class="body">
            <strong>A restore was interrupted</strong>
            <p>
              {cutOff.files === 1 ? "1 file" : `${cutOff.files} files`} may be half restored. Finish it, or put the
              files back as they were.
            </p>
            <div class="actions">
              <button type="button" class="button small" onClick={() => void store.settle("finish")}>
                Finish
              </button>
              <button type="button" class="button small" onClick={() => void store.settle("put-back")}>
                Put back
              </button>
            </div>
          </div>
        </div>
      )}
      <WaitingDiscards store={store} stop={stop} />
      {notice !== null && (
        <div class="notice" data-severity={notice.severity} role={notice.severity === "info" ? undefined : "alert"}>
          <Icon name={notice.severity === "info" ? "check" : "alert"} />
          <div class="body">
            <span>{notice.words}</span>
            {notice.output !== undefined && (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and what scrolls must be reachable by keyboard
              <pre class="git-output" tabIndex={0}>
                {notice.output}
              </pre>
            )}
            {notice.canStop === true && (
              <div class="actions">
                <button
                  type="button"
                  class="button small"
                  onClick={() => {
                    store.dismissNotice();
                    stop();
                  }}
                >
                  Stop the turn
                </button>
              </div>
            )}
          </div>
          <button
            type="button"
            class="icon-button small"
            aria-label="Dismiss"
            title="Dismiss"
            onClick={() => store.dismissNotice()}
          >
            <Icon name="close" class="icon-sm" />
          </button>
        </div>
      )}
      {hidden > 0 && (
        <p class="file-note">
          {hidden.toLocaleString("en")} more files changed. The first {state?.files.length.toLocaleString("en")} are
          shown.
        </p>
      )}
    </>
  );
}

/** Discards that are carried out at the end of the turn, and those that could not be. */
function WaitingDiscards({ store, stop }: { store: ChangesStore; stop: () => void }) {
  const all = store.state.value?.waiting ?? [];
  const waiting = all.filter(({ problem }) => problem === undefined);
  return (
    <>
      {waiting.length > 0 && (
        <div class="notice" data-severity="info">
          <Icon name="clock" />
          <div class="body">
            <strong>
              {waiting.length === 1
                ? "A discard waits for the end of the turn"
                : `${waiting.length} discards wait for the end of the turn`}
            </strong>
            <ul class="waiting-discards" aria-label="Discards that wait">
              {waiting.map((one) => (
                <li key={one.waitId}>
                  <span class="truncate" title={one.path}>
                    <PathWords path={one.path} />
                  </span>
                  {one.files > 1 && <span class="faint">and {one.files - 1} more</span>}
                  <button type="button" class="button ghost small" onClick={() => store.cancelWaiting(one)}>
                    Cancel
                    <span class="visually-hidden"> discarding in {one.path}</span>
                  </button>
                </li>
              ))}
            </ul>
            <div class="actions">
              <button type="button" class="button small" onClick={stop}>
                Stop the turn
              </button>
            </div>
          </div>
        </div>
      )}
      {all.map(
        (one) =>
          one.problem !== undefined && (
            <div key={one.waitId} class="notice" data-severity="warning" role="alert">
              <Icon name="alert" />
              <div class="body">
                <strong>Not discarded</strong>
                <p>{one.problem}</p>
              </div>
              <button
                type="button"
                class="icon-button small"
                aria-label={`Dismiss: ${one.path} was not discarded`}
                title="Dismiss"
                onClick={() => store.cancelWaiting(one)}
              >
                <Icon name="close" class="icon-sm" />
              </button>
            </div>
          ),
      )}
    </>
  );
}

function LeftOut({ state: { leftOut } }: { state: ChangesState }) {
  const isHeld = ({ reason }: LeftOutFile) => reason === "filtered";
  const missing = leftOut.filter((file) => !isHeld(file));
  const words = [
    ...(missing.length > 0
      ? [`${missing.length === 1 ? "1 file is" : `${missing.length} files are`} not covered by checkpoints`]
      : []),
    ...(leftOut.some(isHeld) ? ["some changes are not shown"] : []),
  ].join("; ");
  return (
    <details class="left-out">
      <summary>{words.slice(0, 1).toUpperCase() + words.slice(1)}</summary>
      <ul>
        {leftOut.map(({ path, reason }) => (
          <li key={path}>
            <span class="path">
              <PathWords path={path} />
            </span>
            <span class="faint">{leftOutWords(reason)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

const COMMIT_CHARS = 7;

/** Submodules that point elsewhere. They can be committed; checkpoints hold their files only. */
function MovedSubmodules({ state: { submodules } }: { state: ChangesState }) {
  return (
    <section class="left-out" aria-label="Submodules">
      <h3>{submodules.length === 1 ? "1 submodule" : `${submodules.length} submodules`}</h3>
      <ul>
        {submodules.map(({ path, from, to }) => (
          <li key={path}>
            <span class="path">
              <PathWords path={path} />
            </span>
            <span class="faint">
              {from === null || to === null
                ? `${from === null ? "added at" : "removed, was at"} ${(from ?? to ?? "").slice(0, COMMIT_CHARS)}`
                : `${from.slice(0, COMMIT_CHARS)} → ${to.slice(0, COMMIT_CHARS)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const STATUS_LETTERS = { added: "A", modified: "M", deleted: "D" } as const;
/** Longer lists of files are only rendered near the view. */
const LISTED_MAX = 80;
const ROWS_AHEAD = 10;

/** The changed files. A long list has only the visible rows. */
function FileList({ parts, files }: { parts: PanelParts; files: readonly ShownFile[] }) {
  const { store } = parts;
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  const [box, setBox] = useState({ rowPx: 28, heightPx: 280 });
  const isLong = files.length > LISTED_MAX;
  const currentPath = store.current.value?.path;
  const remarks = store.remarks.value;
  useLayoutEffect(() => {
    const { current } = list;
    const row = current?.querySelector<HTMLElement>(".file-row");
    if (current && row) setBox({ rowPx: row.offsetHeight || 28, heightPx: current.clientHeight });
  }, [isLong]);
  useLayoutEffect(() => {
    const at = files.findIndex(({ file }) => file.path === currentPath);
    const { current } = list;
    if (at === -1 || current === null) return;
    const [from, to] = [at * box.rowPx, (at + 1) * box.rowPx];
    if (from < current.scrollTop) current.scrollTop = from;
    else if (to > current.scrollTop + current.clientHeight) current.scrollTop = to - current.clientHeight;
  }, [currentPath, box.rowPx]);
  const first = isLong ? Math.max(0, Math.floor(top / box.rowPx) - ROWS_AHEAD) : 0;
  const last = isLong ? Math.min(files.length, Math.ceil((top + box.heightPx) / box.rowPx) + ROWS_AHEAD) : files.length;
  return (
    <>
      <ul
        class="file-list"
        ref={list}
        aria-label="Changed files"
        onScroll={({ currentTarget }) => isLong && setTop(currentTarget.scrollTop)}
      >
        {first > 0 && <li aria-hidden="true" style={{ height: `${first * box.rowPx}px` }} />}
        {files.slice(first, last).map((shown, at) => {
          const { path } = shown.file;
          return (
            <FileRow
              key={path}
              parts={parts}
              shown={shown}
              position={first + at + 1}
              total={files.length}
              isCurrent={path === currentPath}
              remarks={remarks.filter((remark) => remark.path === path).length}
            />
          );
        })}
        {last < files.length && <li aria-hidden="true" style={{ height: `${(files.length - last) * box.rowPx}px` }} />}
      </ul>
      <AllDecisions parts={parts} files={files} />
    </>
  );
}

interface FileRowProps {
  readonly parts: PanelParts;
  readonly shown: ShownFile;
  readonly position: number;
  readonly total: number;
  readonly isCurrent: boolean;
  readonly remarks: number;
}

function FileRow({ parts, shown, position, total, isCurrent, remarks }: FileRowProps) {
  const { store } = parts;
  const { file, isSettled, hunks, whole } = shown;
  const { path, status } = file;
  const waiting = store.state.value?.waiting ?? [];
  const isWaiting = waiting.some(({ items, problem }) => !problem && items.some((item) => item.path === path));
  const isDiscarded = isSettled && (whole?.verdict ?? hunks[0]?.verdict) === "discarded";
  return (
    <li
      class="file-row"
      aria-current={isCurrent ? "true" : undefined}
      aria-posinset={position}
      aria-setsize={total}
      data-settled={isSettled ? "" : undefined}
    >
      <span class="status-letter" data-status={STATUS_LETTERS[status]} role="img" aria-label={status}>
        {STATUS_LETTERS[status]}
      </span>
      <button type="button" class="path-link" title={path} onClick={() => store.goTo(path)}>
        <PathWords path={path} />
      </button>
      {remarks > 0 && (
        <span class="remarks" role="img" aria-label={remarks === 1 ? "1 remark" : `${remarks} remarks`}>
          <Icon name="message" class="icon-sm" />
          {remarks}
        </span>
      )}
      {file.review === "kept" && !isSettled && !isWaiting && (
        <span class="row-verdict" data-verdict="kept">
          Kept
        </span>
      )}
      {isWaiting && (
        <span class="row-verdict" title={WAITS}>
          Discard waits
        </span>
      )}
      {isSettled && (
        <span class="row-verdict" data-verdict={isDiscarded ? "discarded" : "kept"}>
          {isDiscarded ? "Discarded" : "Kept"}
        </span>
      )}
      <span class="stats">
        <span>
          {file.added !== null && file.added > 0 && <span class="stat-add">+{file.added.toLocaleString("en")}</span>}
        </span>
        <span>
          {file.removed !== null && file.removed > 0 && (
            <span class="stat-del">−{file.removed.toLocaleString("en")}</span>
          )}
        </span>
      </span>
      {isSettled ? <span class="check" /> : <ViewedTick parts={parts} file={file} label={`${path} viewed`} />}
    </li>
  );
}

/** Decisions about everything in view, and undo. */
function AllDecisions({ parts: { store }, files }: { parts: PanelParts; files: readonly ShownFile[] }) {
  const [isAsking, setAsking] = useState(false);
  const open = files.filter(({ file, isSettled }) => !isSettled && file.review === "open").length;
  const lastDecision = store.state.value?.decisions[0];
  const isDeciding = store.deciding.value.has("");
  const ask = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isAsking) ask.current?.focus();
  }, [isAsking]);
  const words = open === 1 ? "1 file" : `${open.toLocaleString("en")} files`;
  return (
    <div class="all-decisions">
      {isAsking ? (
        <>
          <span>Discard all changes in {words}? You can undo it.</span>
          <span class="end">
            <button type="button" class="button ghost small" onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button
              type="button"
              class="button small danger"
              ref={ask}
              onClick={() => {
                setAsking(false);
                store.decide("discard", null);
              }}
            >
              Discard {words}
            </button>
          </span>
        </>
      ) : (
        <>
          {lastDecision !== undefined && (
            <button
              type="button"
              class="button ghost small undo-last"
              title={`Undo: ${decisionWords(lastDecision)}`}
              onClick={() => store.undo()}
            >
              Undo last decision
              <KeyHint name={keyWords("changes-undo")} />
            </button>
          )}
          <span class="end">
            <button
              type="button"
              class="button ghost small"
              disabled={open === 0 || isDeciding}
              onClick={() => store.decide("keep", null)}
            >
              Keep all
            </button>
            <button
              type="button"
              class="button ghost small"
              disabled={open === 0 || isDeciding}
              onClick={() => setAsking(true)}
            >
              Discard all
            </button>
          </span>
        </>
      )}
    </div>
  );
}

function CommitForm({ parts: { store, keepFocus } }: { parts: PanelParts }) {
  const form = store.commitForm.value;
  const isOpen = form !== null;
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (isOpen) field.current?.focus();
    else keepFocus();
  }, [isOpen]);
  if (form === null) return null;
  const state = store.state.value;
  const files = state?.files ?? [];
  const viewed = files.filter((file) => file.viewed).length;
  const all = state === null ? 0 : allFiles(state);
  const isCut = state !== null && state.total > files.length;
  const counts = { all, viewed, kept: null };
  const count = counts[form.which];
  const { branch = null, commit: last = null } = state?.head ?? {};
  const isDetached = branch === null && last !== null;
  const { isRunning } = form;
  const commit = () => void store.runCommit();
  return (
    <form
      class="commit-form"
      aria-label="Commit"
      aria-busy={isRunning}
      onSubmit={(event) => {
        event.preventDefault();
        commit();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        commit();
      }}
    >
      <textarea
        ref={field}
        rows={3}
        aria-label="Commit message"
        placeholder="Commit message"
        value={form.message}
        readOnly={isRunning}
        onInput={({ currentTarget }) => store.changeCommit({ message: currentTarget.value })}
      />
      {isDetached && <p class="faint">HEAD is detached: this commit will be on no branch. Create one to keep it.</p>}
      {form.failure !== null && (
        <div class="commit-failure" role="alert">
          <p>{form.failure.words}</p>
          {form.failure.output !== undefined && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and what scrolls must be reachable by keyboard
            <pre class="git-output" tabIndex={0}>
              {form.failure.output}
            </pre>
          )}
        </div>
      )}
      {isCut && form.which !== "all" && (
        <p class="faint">
          Only the first {files.length.toLocaleString("en")} files are listed: {form.which} ones after them are not
          committed.
        </p>
      )}
      <div class="commit-foot">
        <span class="which" role="radiogroup" aria-label="Files to commit">
          {(["all", "kept", "viewed"] as const).map((which) => (
            <label key={which}>
              <input
                type="radio"
                name="which"
                checked={form.which === which}
                disabled={isRunning}
                onChange={() => store.changeCommit({ which })}
              />
              {which === "all"
                ? `All files (${all.toLocaleString("en")})`
                : which === "kept"
                  ? "Kept changes"
                  : `Viewed files (${viewed.toLocaleString("en")})`}
            </label>
          ))}
        </span>
        <span class="end">
          <button type="button" class="button ghost" disabled={isRunning} onClick={() => store.closeCommit()}>
            Cancel
          </button>
          <button
            type="submit"
            class="button primary"
            disabled={isRunning || form.message.trim() === "" || count === 0}
          >
            {isRunning ? "Committing…" : commitWords(count)}
          </button>
        </span>
      </div>
    </form>
  );
}

/** Null: how many files have kept changes is known when they are committed. */
function commitWords(count: number | null): string {
  if (count === null) return "Commit kept changes";
  return `Commit ${filesWords(count)}`;
}

/** Remarks that wait to be sent. */
function Foot({ parts }: { parts: PanelParts }) {
  const { store } = parts;
  const remarks = store.remarks.value;
  if (remarks.length === 0 || store.draft.value !== null) return null;
  return (
    <footer class="changes-foot">
      <span class="faint">{remarks.length === 1 ? "1 remark, not sent" : `${remarks.length} remarks, not sent`}</span>
      <SendRemarks parts={parts} />
    </footer>
  );
}
