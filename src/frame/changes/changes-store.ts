import { batch, type ReadonlySignal, signal } from "@preact/signals";
import { isSameChange } from "../../presentation/hunk-lines.ts";
import type {
  ChangesScope,
  ChangesState,
  DecisionItem,
  PatchHunk,
  ReviewDecision,
  ReviewedFile,
  WaitingDiscard,
} from "../../protocol/changes.ts";
import type { PortletQuestion } from "../../protocol/portlet-commands.ts";
import type { PlainServerMessage } from "../../protocol/server-messages.ts";
import { RequestError } from "../portlet-store.ts";
import { findAgain, type Remark, type RemarkPlace, type ReviewDrafts, remarksPrompt } from "./remarks.ts";
import {
  FIRST,
  type FileParts,
  type HunkPlace,
  hunkAt,
  type LoadedPatch,
  type SettledFile,
  type ShownFile,
  type ShownHunk,
  settleHunk,
  shownFile,
  stepFile,
  stepHunk,
  withSettled,
} from "./shown-changes.ts";

/** Hunks of this many files are fetched at a time. */
const LOADS_AT_ONCE_MAX = 4;

export type Decision = "keep" | "discard";
type AnswerOf<Type extends PlainServerMessage["type"]> = Extract<PlainServerMessage, { type: Type }>;
export type PushedState = Omit<AnswerOf<"changes:state">, "sessionId" | "type">;

/** A message above the files: an error, or what was done. */
export interface ChangesNotice {
  readonly severity: "info" | "warning" | "error";
  readonly words: string;
  /** Output of Git or a hook. */
  readonly output?: string | undefined;
  /** An agent works in the directory: its turn can be stopped. */
  readonly canStop?: boolean;
}

export interface CommitForm {
  readonly message: string;
  /** All files, those that are ticked as viewed, or every change that was kept. */
  readonly which: "all" | "viewed" | "kept";
  readonly isRunning: boolean;
  readonly failure: ChangesNotice | null;
}

/** A remark that is being edited; `id` null for a new one. */
export type RemarkDraft = RemarkPlace & { readonly id: string | null; readonly text: string };

interface ChangesStoreOptions {
  readonly request: (question: PortletQuestion) => Promise<PlainServerMessage>;
  readonly newId: () => string;
  readonly storage: ReviewDrafts;
  /** Sends one message to the agent. */
  readonly send: (prompt: string) => void;
}

/** The subject of a decision: one hunk, a file, or everything in view. */
type Target =
  | { readonly kind: "hunk"; readonly path: string; readonly shown: ShownHunk }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "all" };

/** The Changes view's state: the server's state, decisions made here, and unsent remarks. */
export class ChangesStore {
  readonly #options: ChangesStoreOptions;
  readonly #scope = signal<ChangesScope>({ kind: "unreviewed" });
  readonly #state = signal<ChangesState | null>(null);
  readonly #trouble = signal<ChangesNotice | null>(null);
  readonly #notice = signal<ChangesNotice | null>(null);
  readonly #files = signal<readonly ShownFile[]>([]);
  readonly #current = signal<HunkPlace | null>(null);
  /** Keys of pending requests: `path` or `path\nhunk`. */
  readonly #deciding = signal<ReadonlySet<string>>(new Set());
  readonly #remarks = signal<readonly Remark[]>([]);
  readonly #draft = signal<RemarkDraft | null>(null);
  /** The id of the next new remark. */
  #draftId = "";
  readonly #commit = signal<CommitForm | null>(null);
  readonly #spoken = signal("");
  readonly #patches = new Map<string, LoadedPatch>();
  readonly #troubles = new Map<string, string>();
  readonly #settled = new Map<string, SettledFile>();
  readonly #near = new Set<string>();
  /** Paths whose hunks are being fetched, and those that are queued for it. */
  readonly #loading = new Map<string, Promise<void>>();
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Counts the states that may have other hunks: hunks fetched before the last one are outdated. */
  #epoch = 0;
  readonly #loadedIn = new Map<string, number>();
  readonly #shownBefore = new Map<string, { readonly parts: FileParts; readonly shown: ShownFile }>();
  #decisions: Promise<void> = Promise.resolve();
  /** The list of the scope that was opened last has been answered, or refused. */
  #listed: Promise<void> = Promise.resolve();
  #isOpen = false;
  /** The file to show first, once it is listed. */
  #wantedPath: string | null = null;

  constructor(options: ChangesStoreOptions) {
    this.#options = options;
    this.#remarks.value = options.storage.read();
  }

  get scope(): ReadonlySignal<ChangesScope> {
    return this.#scope;
  }
  /** Null until the first answer. */
  get state(): ReadonlySignal<ChangesState | null> {
    return this.#state;
  }
  /** Why there are no changes to show. */
  get trouble(): ReadonlySignal<ChangesNotice | null> {
    return this.#trouble;
  }
  get notice(): ReadonlySignal<ChangesNotice | null> {
    return this.#notice;
  }
  get files(): ReadonlySignal<readonly ShownFile[]> {
    return this.#files;
  }
  get current(): ReadonlySignal<HunkPlace | null> {
    return this.#current;
  }
  get deciding(): ReadonlySignal<ReadonlySet<string>> {
    return this.#deciding;
  }
  get remarks(): ReadonlySignal<readonly Remark[]> {
    return this.#remarks;
  }
  get draft(): ReadonlySignal<RemarkDraft | null> {
    return this.#draft;
  }
  get commitForm(): ReadonlySignal<CommitForm | null> {
    return this.#commit;
  }
  /** The announcement for screen readers. */
  get spoken(): ReadonlySignal<string> {
    return this.#spoken;
  }

  open(scope: ChangesScope, path: string | null): void {
    const isAnother = JSON.stringify(scope) !== JSON.stringify(this.#scope.peek());
    if (isAnother) {
      this.#forget();
      this.#scope.value = scope;
    }
    this.#wantedPath = path;
    this.#isOpen = true;
    if (!isAnother) this.#goToWanted();
    this.#listed = this.#ask();
  }

  /** Stops watching. When the view is opened again, decided changes have their final state. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#forget();
    this.#notice.value = null;
    this.#commit.value = null;
    this.#options.request({ type: "changes:close" }).catch(() => undefined); // nothing is shown any more
  }

  /** Requests the changes again: after an error, or on a new connection. */
  retry(): void {
    if (this.#isOpen) void this.#ask();
  }

  /** The server reports a change. */
  receive(state: PushedState): void {
    if (this.#isOpen && JSON.stringify(state.scope) === JSON.stringify(this.#scope.peek())) this.#setState(state);
  }

  dismissNotice(): void {
    this.#notice.value = null;
  }

  /** A file comes near the view, or leaves it: hunks are fetched only then. */
  setNear(path: string, isNear: boolean): void {
    if (!isNear) {
      this.#near.delete(path);
      return;
    }
    this.#near.add(path);
    if (this.#isStale(path)) void this.#load(path);
  }

  /** Shows the whole file around its hunks, or a difference that is large; again, the hunks alone. */
  toggleWhole(path: string): void {
    const whole = this.#patches.get(path)?.whole !== true;
    void this.#load(path, whole);
  }

  decide(decision: Decision, target: { readonly path: string; readonly key?: string } | null): void {
    const files = this.#files.peek();
    const of = (): Target | null => {
      if (target === null) return { kind: "all" };
      const { path, key } = target;
      if (key === undefined) return { kind: "file", path };
      const shown = hunkAt(files, { path, key });
      return shown === undefined || shown.verdict !== "open" ? null : { kind: "hunk", path, shown };
    };
    const found = of();
    if (found === null) return;
    const name = targetName(found);
    if (this.#deciding.peek().has(name)) return;
    const isWaiting = found.kind !== "all" && this.waitingFor(found.path, hunkIdOf(found)) !== undefined;
    if (isWaiting) {
      this.#speak(WAITS);
      return;
    }
    this.#notice.value = null;
    this.#setDeciding(name, true);
    // Moves on to the next one; the decided change stays in view.
    if (found.kind === "hunk") {
      const next = stepHunk(files, { path: found.path, key: found.shown.key }, 1, ({ verdict }) => verdict === "open");
      if (next !== null) this.#current.value = next;
    }
    // One at a time: each is based on the files after the one before.
    this.#decisions = this.#decisions
      .then(() => this.#run(decision, found))
      .finally(() => this.#setDeciding(name, false));
  }

  /** Decides about the hunk that the keyboard is at. */
  decideCurrent(decision: Decision): void {
    this.withCurrent((path, { key }) => this.decide(decision, { path, key }));
  }

  /**
   * An action for the focused hunk. A key may come before the hunks of its file: it takes effect once they have loaded,
   * if the reader has not moved on.
   */
  withCurrent(act: (path: string, hunk: ShownHunk) => void): void {
    const place = this.#current.peek();
    if (place === null) return;
    const actOn = () => {
      const hunk = hunkAt(this.#files.peek(), place);
      if (hunk !== undefined) act(place.path, hunk);
      return hunk !== undefined;
    };
    if (actOn() || this.#loadedIn.has(place.path)) return;
    void this.#load(place.path).then(() => this.#current.peek() === place && actOn());
  }

  /** The discard of a place, or of the whole file it is in, that waits for the end of a turn. */
  waitingFor(path: string, hunkId: string | null): WaitingDiscard | undefined {
    const waiting = this.#state.value?.waiting ?? [];
    const isAbout = ({ path: named, hunkIds }: DecisionItem) =>
      named === path && (hunkIds === undefined || (hunkId !== null && hunkIds.includes(hunkId)));
    return waiting.find(({ items, problem }) => problem === undefined && items.some(isAbout));
  }

  /** Cancels a waiting discard; a failed one is removed from the list. */
  cancelWaiting({ waitId, problem }: WaitingDiscard): void {
    this.#options.request({ type: "changes:cancel", waitId }).then(
      async () => {
        this.#speak(problem === undefined ? "Discard cancelled" : "Dismissed");
        if (this.#isOpen) await this.#ask();
      },
      async (error: unknown) => {
        this.#refused(error);
        await this.#ask();
      },
    );
  }

  /** Undoes a decision; without an id, the last one. One that still waits is cancelled. */
  undo(undoId?: string): void {
    const waiting = this.#state.peek()?.waiting.findLast(({ problem }) => problem === undefined);
    const lastAt = this.#state.peek()?.decisions[0]?.at ?? "";
    if (undoId === undefined && waiting !== undefined && waiting.at > lastAt) {
      this.cancelWaiting(waiting);
      return;
    }
    const wanted = undoId ?? this.#state.peek()?.decisions[0]?.undoId;
    if (wanted === undefined) {
      this.#speak("Nothing to undo");
      return;
    }
    this.#notice.value = null;
    this.#decisions = this.#decisions.then(() => this.#undo(wanted));
  }

  setViewed(path: string, viewed: boolean): void {
    const state = this.#state.peek();
    if (state === null) return;
    const mark = (is: boolean) => {
      const now = this.#state.peek();
      if (now === null) return;
      const files = now.files.map((file) => (file.path === path ? { ...file, viewed: is } : file));
      this.#state.value = { ...now, files };
      this.#rebuild();
    };
    mark(viewed);
    this.#options.request({ type: "changes:viewed", path, expect: state.version, viewed }).then(
      () => this.#speak(viewed ? "Viewed" : "Not viewed"),
      (error: unknown) => {
        mark(!viewed);
        this.#refused(error);
      },
    );
  }

  toggleViewed(): void {
    const path = this.#current.peek()?.path;
    const file = this.#files.peek().find((one) => one.file.path === path)?.file;
    if (file) this.setViewed(file.path, !file.viewed);
  }

  stepHunk(by: 1 | -1): void {
    this.#goTo(stepHunk(this.#files.peek(), this.#current.peek(), by));
  }

  stepFile(by: 1 | -1): void {
    this.#goTo(stepFile(this.#files.peek(), this.#current.peek(), by));
  }

  goTo(path: string, key: string = FIRST): void {
    this.#goTo({ path, key });
  }

  /** Begins a remark on some lines; one that is open elsewhere is saved first. */
  startRemark(place: RemarkPlace): void {
    this.saveRemark();
    this.#draftId = this.#options.newId();
    this.#draft.value = { ...place, id: null, text: "" };
  }

  editRemark(id: string): void {
    this.saveRemark();
    const remark = this.#remarks.peek().find((one) => one.id === id);
    if (remark) this.#draft.value = remark;
  }

  typeRemark(text: string): void {
    const draft = this.#draft.peek();
    if (draft === null) return;
    this.#draft.value = { ...draft, text };
    this.#options.storage.write(this.#withDraft());
  }

  /** Saves the remark that is being edited; an empty one is removed. */
  saveRemark(): void {
    const draft = this.#draft.peek();
    if (draft === null) return;
    const remarks = this.#withDraft();
    this.#draft.value = null;
    this.#setRemarks(remarks);
  }

  /** Discards the edit; a remark that was saved before stays unchanged. */
  cancelRemark(): void {
    this.#draft.value = null;
    this.#options.storage.write(this.#remarks.peek());
  }

  deleteRemark(id: string | null): void {
    if (this.#draft.peek()?.id === id) this.#draft.value = null;
    this.#setRemarks(this.#remarks.peek().filter((one) => one.id !== id));
    this.#speak("Remark deleted");
  }

  sendRemarks(): void {
    this.saveRemark();
    const remarks = this.#remarks.peek();
    if (remarks.length === 0) return;
    this.#options.send(remarksPrompt(remarks, this.#state.peek()?.prefix ?? ""));
    this.#setRemarks([]);
    this.#speak(remarks.length === 1 ? "1 remark sent" : `${remarks.length} remarks sent`);
  }

  /** A commit is about everything since the last one. */
  openCommit(): void {
    const state = this.#state.peek();
    if (state === null || state.head === null || this.#commit.peek() !== null) return;
    if (this.#scope.peek().kind !== "base") this.open({ kind: "base" }, null);
    this.#commit.value = { message: this.#options.storage.message, which: "all", isRunning: false, failure: null };
  }

  changeCommit(change: Partial<Pick<CommitForm, "message" | "which">>): void {
    const form = this.#commit.peek();
    if (!form) return;
    this.#commit.value = { ...form, ...change };
    if (change.message !== undefined) this.#options.storage.keepMessage(change.message);
  }

  /** Its message is there again when the form is opened next. */
  closeCommit(): void {
    this.#commit.value = null;
  }

  /** The content of the commit; null: everything, which is more than the list has. */
  async #committed(which: CommitForm["which"]): Promise<readonly DecisionItem[] | null> {
    const { files = [], submodules = [], total = 0 } = this.#state.peek() ?? {};
    if (which === "all" && total > files.length) return null;
    if (which === "all") return [...files, ...submodules].map(({ path }) => ({ path }));
    if (which === "viewed") return files.filter(({ viewed }) => viewed).map(({ path }) => ({ path }));
    const items: DecisionItem[] = [];
    for (const { path, review, status } of files) {
      if (review === "kept") items.push({ path });
      // A file that is new or gone is one change.
      else if (status === "modified") {
        const hunkIds = await this.#keptIn(path);
        if (hunkIds.length > 0) items.push({ path, hunkIds });
      }
    }
    return items;
  }

  /** Asked for anew: a file may not have been shown yet, or be too large to be shown without a wish. */
  async #keptIn(path: string): Promise<string[]> {
    const ask = async (whole: boolean) => {
      const wish = { type: "changes:patch", scope: { kind: "base" }, path, ...(whole && { whole }) } as const;
      return answerOf(await this.#options.request(wish), "changes:patch").patch;
    };
    const patch = await ask(false);
    const shown = patch.kind === "too-large" ? await ask(true) : patch;
    return shown.kind === "text" ? shown.hunks.filter(({ isKept }) => isKept).map(({ hunkId }) => hunkId) : [];
  }

  async runCommit(): Promise<void> {
    const form = this.#commit.peek();
    const message = form?.message.trim() ?? "";
    if (!form || form.isRunning || message === "") return;
    this.#commit.value = { ...form, isRunning: true, failure: null };
    try {
      // A key may come before the list of what is committed: it takes effect once that is there, unless the form is closed.
      if (this.#state.peek() === null) await this.#listed;
      if (this.#commit.peek() === null) return;
      const state = this.#state.peek();
      if (state === null) throw new RequestError(this.#trouble.peek()?.words ?? NOTHING_TO_COMMIT, null);
      const items = await this.#committed(form.which);
      if (items?.length === 0) throw new RequestError(NOTHING_TO_COMMIT, null);
      const answer = await this.#options.request({
        type: "workdir:commit",
        ...(items !== null && { items: [...items] }),
        message,
        expect: state.version,
      });
      const { commit, output } = answerOf(answer, "workdir:committed");
      const words = `Committed ${filesWords(items?.length ?? allFiles(state))} as ${commit.slice(0, 8)}.`;
      this.#commit.value = null;
      this.#options.storage.keepMessage("");
      this.#notice.value = { severity: "info", words, output: output.trim() || undefined };
      this.#speak(words);
    } catch (error) {
      const failure = noticeOf(error);
      const now = this.#commit.peek();
      if (now) this.#commit.value = { ...now, isRunning: false, failure };
      this.#speak(failure.words);
      if (isOutdated(error)) await this.#ask();
    }
  }

  /** Finishes or undoes an interrupted restore. */
  async settle(way: "finish" | "put-back"): Promise<void> {
    try {
      await this.#options.request({ type: "checkpoint:settle", way });
      this.#speak(way === "finish" ? "Restore finished" : "Files put back");
      await this.#ask();
    } catch (error) {
      this.#refused(error);
    }
  }

  async #ask(): Promise<void> {
    const scope = this.#scope.peek();
    try {
      const answer = await this.#options.request({ type: "changes:open", scope });
      if (this.#isOpen && scope === this.#scope.peek()) this.#setState(answerOf(answer, "changes:state"));
    } catch (error) {
      if (!this.#isOpen || scope !== this.#scope.peek()) return;
      this.#trouble.value = noticeOf(error);
      this.#speak(this.#trouble.value.words);
    }
  }

  #setState(next: PushedState): void {
    const before = this.#state.peek();
    if (before === null || before.version !== next.version || !sameDecisions(before.decisions, next.decisions))
      this.#epoch += 1;
    batch(() => {
      this.#trouble.value = null;
      this.#state.value = next;
      const listed = new Set(next.files.map(({ path }) => path));
      for (const path of this.#patches.keys())
        if (!listed.has(path) && !this.#settled.has(path)) this.#patches.delete(path);
      this.#rebuild();
      this.#goToWanted();
    });
    for (const path of this.#near) if (this.#isStale(path)) void this.#load(path);
  }

  #goToWanted(): void {
    const files = this.#files.peek();
    const wanted = this.#wantedPath;
    const path = files.some(({ file }) => file.path === wanted) ? wanted : files[0]?.file.path;
    if (path === undefined || path === null) return;
    if (wanted !== null || this.#current.peek() === null) this.#current.value = { path, key: FIRST };
    this.#wantedPath = null;
  }

  #goTo(place: HunkPlace | null): void {
    if (place !== null) this.#current.value = { ...place };
  }

  #isStale(path: string): boolean {
    const isListed = this.#state.peek()?.files.some((file) => file.path === path) ?? false;
    return isListed && this.#loadedIn.get(path) !== this.#epoch;
  }

  /** Fetches a file's hunks. The shown ones stay until they arrive. */
  #load(path: string, whole = this.#patches.get(path)?.whole ?? false): Promise<void> {
    const before = this.#loading.get(path) ?? Promise.resolve();
    const load = before.then(async () => {
      await this.#freeSlot();
      try {
        await this.#fetch(path, whole);
      } finally {
        this.#running -= 1;
        this.#waiting.shift()?.();
      }
    });
    this.#loading.set(path, load);
    return load.finally(() => {
      if (this.#loading.get(path) === load) this.#loading.delete(path);
    });
  }

  async #freeSlot(): Promise<void> {
    while (this.#running >= LOADS_AT_ONCE_MAX) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
    this.#running += 1;
  }

  async #fetch(path: string, whole: boolean): Promise<void> {
    const scope = this.#scope.peek();
    const epoch = this.#epoch;
    const isCurrent = this.#loadedIn.get(path) === epoch && this.#patches.get(path)?.whole === whole;
    if (!this.#isOpen || isCurrent) return;
    try {
      const answer = await this.#options.request({ type: "changes:patch", scope, path, ...(whole && { whole: true }) });
      if (scope !== this.#scope.peek()) return;
      const { patch, version } = answerOf(answer, "changes:patch");
      this.#patches.set(path, { patch, version, whole });
      this.#troubles.delete(path);
    } catch (error) {
      if (scope !== this.#scope.peek()) return;
      this.#troubles.set(path, noticeOf(error).words);
    }
    this.#loadedIn.set(path, epoch);
    this.#rebuild();
  }

  async #run(decision: Decision, target: Target): Promise<void> {
    const state = this.#state.peek();
    if (state === null || !this.#isOpen) return;
    // The same change is decided about in the current files.
    if (target.kind === "hunk" && this.#isStale(target.path)) await this.#load(target.path);
    const items = this.#itemsFor(target);
    if (items === "gone") {
      this.#notice.value = { severity: "warning", words: "This change is no longer there. Nothing was touched." };
      return;
    }
    const before = new Set(state.decisions.map(({ undoId }) => undoId));
    try {
      const answer = await this.#options.request({
        type: "changes:decide",
        scope: this.#scope.peek(),
        decision,
        ...(items && { items }),
        expect: (target.kind === "hunk" && this.#patches.get(target.path)?.version) || state.version,
        // While an agent works in the directory it is carried out at the end of its turn.
        ...(decision === "discard" && { wait: true }),
      });
      const next = answerOf(answer, "changes:state");
      const isKnown = ({ waitId }: WaitingDiscard) => state.waiting.some((one) => one.waitId === waitId);
      if (next.waiting.some((one) => !isKnown(one))) {
        if (this.#isOpen) this.#setState(next);
        this.#speak(WAITS);
        return;
      }
      const made = next.decisions.find(({ undoId, kind }) => !before.has(undoId) && kind === decision);
      this.#settle(decision, target, made?.undoId ?? null);
      if (this.#isOpen) this.#setState(next);
      this.#speak(spokenDecision(decision, target));
      if (target.kind !== "all") await this.#refresh(target.path);
    } catch (error) {
      this.#refused(error);
      if (isOutdated(error)) await this.#ask();
    }
  }

  /** Ids of hunks may have changed: the same change is looked up among the current ones. */
  #itemsFor(target: Target): DecisionItem[] | undefined | "gone" {
    if (target.kind === "all") return undefined;
    const { path } = target;
    if (target.kind === "file") return [{ path }];
    const patch = this.#patches.get(path)?.patch;
    const wanted = target.shown.hunk;
    const hunks = patch?.kind === "text" ? patch.hunks : [];
    const same = hunks.filter((hunk) => !hunk.isKept && isSameChange(hunk, wanted));
    const found = same.find(({ hunkId }) => hunkId === wanted.hunkId) ?? nearest(same, wanted.oldStart);
    if (found === undefined) return "gone";
    // A file that is new or gone is one change.
    return this.#fileAt(path)?.status === "modified" ? [{ path, hunkIds: [found.hunkId] }] : [{ path }];
  }

  /** Decided changes stay in view until the view closes. */
  #settle(decision: Decision, target: Target, undoId: string | null): void {
    const verdict: "kept" | "discarded" = decision === "keep" ? "kept" : "discarded";
    const paths =
      target.kind === "all"
        ? (this.#state.peek()?.files ?? []).filter(({ review }) => review === "open").map(({ path }) => path)
        : [target.path];
    for (const path of paths) {
      const file = this.#fileAt(path);
      if (file === undefined) continue;
      const known: SettledFile = this.#settled.get(path) ?? { file, hunks: [], whole: null };
      const shown = this.#files.peek().find((one) => one.file.path === path)?.hunks ?? [];
      const decided = target.kind === "hunk" ? [target.shown] : shown.filter((hunk) => hunk.verdict === "open");
      const hunks = decided.reduce((all, { hunk }) => settleHunk(all, { hunk, verdict, undoId }), known.hunks);
      const whole = target.kind === "hunk" ? known.whole : { verdict, undoId };
      this.#settled.set(path, { file, hunks, whole });
    }
  }

  async #undo(undoId: string): Promise<void> {
    const words = this.#state.peek()?.decisions.find((one) => one.undoId === undoId);
    try {
      await this.#options.request({ type: "changes:undo", undoId });
      const paths: string[] = [];
      for (const [path, settled] of this.#settled) {
        const hunks = settled.hunks.filter((one) => one.undoId !== undoId);
        const whole = settled.whole?.undoId === undoId ? null : settled.whole;
        if (hunks.length === settled.hunks.length && whole === settled.whole) continue;
        paths.push(path);
        if (hunks.length === 0 && whole === null) this.#settled.delete(path);
        else this.#settled.set(path, { ...settled, hunks, whole });
      }
      if (this.#isOpen) await this.#ask();
      this.#speak(words ? `Undone: ${decisionWords(words)}` : "Undone");
      await Promise.all(paths.map((path) => this.#refresh(path)));
    } catch (error) {
      this.#refused(error);
      if (isOutdated(error)) await this.#ask();
    }
  }

  /** The hunks of a file after a decision about it: the next decision is about these. */
  async #refresh(path: string): Promise<void> {
    if (this.#isStale(path)) await this.#load(path);
    else if (this.#fileAt(path) === undefined || !this.#state.peek()?.files.some((file) => file.path === path)) {
      const before = this.#patches.get(path);
      if (before?.patch.kind === "text")
        this.#patches.set(path, { ...before, patch: { kind: "text", hunks: [], isWholeFile: false } });
      this.#rebuild();
    }
  }

  #fileAt(path: string): ReviewedFile | undefined {
    return this.#files.peek().find(({ file }) => file.path === path)?.file;
  }

  #rebuild(): void {
    const state = this.#state.peek();
    if (state === null) {
      this.#files.value = [];
      return;
    }
    const { decisions } = state;
    const files = withSettled(state.files, this.#settled.values()).map(({ file, isSettled }) => {
      const { path } = file;
      const loaded = this.#patches.get(path) ?? null;
      const parts: FileParts = {
        file,
        isSettled,
        loaded: isSettled && loaded?.patch.kind === "text" ? emptied(loaded) : loaded,
        trouble: this.#troubles.get(path) ?? null,
        settled: this.#settled.get(path) ?? null,
        decisions: loaded === null ? NO_DECISIONS : decisions,
      };
      // Unchanged parts keep their identity, and so are not rendered again.
      const before = this.#shownBefore.get(path);
      if (before && isSameParts(before.parts, parts)) return before.shown;
      const shown = shownFile(parts);
      this.#shownBefore.set(path, { parts, shown });
      if (shown.hunks.length > 0) this.#moveRemarks(shown);
      return shown;
    });
    this.#files.value = files;
    const current = this.#current.peek();
    const isThere = files.some(({ file }) => file.path === current?.path);
    if (current !== null && !isThere) this.#current.value = null;
  }

  /** Remarks stay with their lines when these move. */
  #moveRemarks({ file: { path }, hunks }: ShownFile): void {
    const lines = hunks.filter(({ verdict }) => verdict !== "discarded").map((hunk) => hunk.lines);
    const moved = <One extends RemarkPlace>(remark: One): One => {
      const now = remark.path === path ? findAgain(remark, lines) : null;
      return now === null || now.from === remark.from ? remark : { ...remark, from: now.from, to: now.to };
    };
    const before = this.#remarks.peek();
    const after = before.map(moved);
    if (after.some((remark, at) => remark !== before[at])) this.#setRemarks(after);
    const draft = this.#draft.peek();
    if (draft !== null) this.#draft.value = moved(draft);
  }

  #forget(): void {
    this.#state.value = null;
    this.#trouble.value = null;
    this.#current.value = null;
    this.#files.value = [];
    this.#patches.clear();
    this.#troubles.clear();
    this.#settled.clear();
    this.#loadedIn.clear();
    this.#shownBefore.clear();
    this.#near.clear();
  }

  #refused(error: unknown): void {
    this.#notice.value = noticeOf(error);
    this.#speak(this.#notice.value.words);
  }

  #setDeciding(name: string, is: boolean): void {
    const names = new Set(this.#deciding.peek());
    if (is) names.add(name);
    else names.delete(name);
    this.#deciding.value = names;
  }

  /** All remarks, with the open one in its current form; an empty one is removed. */
  #withDraft(): readonly Remark[] {
    const draft = this.#draft.peek();
    const remarks = this.#remarks.peek();
    if (draft === null) return remarks;
    const others = remarks.filter(({ id }) => id !== draft.id);
    return draft.text.trim() === "" ? others : [...others, { ...draft, id: draft.id ?? this.#draftId }];
  }

  #setRemarks(remarks: readonly Remark[]): void {
    this.#remarks.value = remarks;
    this.#options.storage.write(this.#withDraft());
  }

  /** Announced again when the same is done again: a space makes it another text. */
  #speak(words: string): void {
    this.#spoken.value = this.#spoken.peek() === words ? `${words}\u00a0` : words;
  }
}

function nearest(hunks: readonly PatchHunk[], oldStart: number): PatchHunk | undefined {
  const distance = (hunk: PatchHunk) => Math.abs(hunk.oldStart - oldStart);
  return hunks.toSorted((a, b) => distance(a) - distance(b))[0];
}

const NO_DECISIONS: readonly ReviewDecision[] = [];

function emptied(loaded: LoadedPatch): LoadedPatch {
  if (loaded.patch.kind !== "text" || loaded.patch.hunks.length === 0) return loaded;
  return { ...loaded, patch: { kind: "text", hunks: [], isWholeFile: false } };
}

function isSameParts(a: FileParts, b: FileParts): boolean {
  const isSameFile =
    a.file === b.file ||
    (a.file.viewed === b.file.viewed &&
      a.file.review === b.file.review &&
      a.file.status === b.file.status &&
      a.file.added === b.file.added &&
      a.file.removed === b.file.removed);
  return (
    isSameFile &&
    a.isSettled === b.isSettled &&
    a.loaded === b.loaded &&
    a.trouble === b.trouble &&
    a.settled === b.settled &&
    sameDecisions(a.decisions, b.decisions)
  );
}

function sameDecisions(a: readonly ReviewDecision[], b: readonly ReviewDecision[]): boolean {
  return a === b || (a.length === b.length && a.every(({ undoId }, at) => undoId === b[at]?.undoId));
}

/** What a commit of everything takes, listed or not. */
export function allFiles({ total, submodules }: Pick<ChangesState, "total" | "submodules">): number {
  return total + submodules.length;
}

export function filesWords(count: number): string {
  return count === 1 ? "1 file" : `${count.toLocaleString("en")} files`;
}

const NOTHING_TO_COMMIT = "Nothing is chosen. Keep changes, or tick files as viewed, then commit them.";
export const WAITS = "Discard waits for the end of the turn";

function hunkIdOf(target: Target): string | null {
  return target.kind === "hunk" ? target.shown.hunk.hunkId : null;
}

export function targetName(
  target:
    | { readonly kind: "all" }
    | { readonly kind: "file"; readonly path: string }
    | Extract<Target, { kind: "hunk" }>,
): string {
  if (target.kind === "all") return "";
  return target.kind === "file" ? target.path : `${target.path}\n${target.shown.key}`;
}

function answerOf<Type extends PlainServerMessage["type"]>(answer: PlainServerMessage, type: Type): AnswerOf<Type> {
  if (isOf(answer, type)) return answer;
  throw new Error(`${type} was expected, and ${answer.type} came`);
}

function isOf<Type extends PlainServerMessage["type"]>(
  answer: PlainServerMessage,
  type: Type,
): answer is AnswerOf<Type> {
  return answer.type === type;
}

function isOutdated(error: unknown): boolean {
  return error instanceof RequestError && error.code === "WORKDIR_CHANGED";
}

function noticeOf(error: unknown): ChangesNotice {
  if (!(error instanceof RequestError))
    return { severity: "error", words: `Unexpected error in the page: ${String(error)}` };
  const { code, words, details } = error;
  return {
    severity: code === "WORKDIR_CHANGED" || code === "WORKDIR_BUSY" ? "warning" : "error",
    words,
    output: details,
    canStop: code === "WORKDIR_BUSY",
  };
}

function spokenDecision(decision: Decision, target: Target): string {
  const word = decision === "keep" ? "Kept" : "Discarded";
  if (target.kind === "all") return `${word} everything`;
  return target.kind === "file" ? `${word} ${target.path}` : `${word} ${target.shown.range.toLowerCase()}`;
}

/** A decision as text: "kept 1 change in src/a.ts". */
export function decisionWords({ kind, files, path }: ReviewDecision): string {
  const verb = { keep: "kept", discard: "discarded", restore: "restored" }[kind];
  return files === 1 ? `${verb} changes in ${path}` : `${verb} changes in ${files} files`;
}
