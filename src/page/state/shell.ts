import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { z } from "zod/mini";
import type { ConnectionPhase } from "../../client/connection.ts";
import type { ClientRequest } from "../../client/pending-requests.ts";
import { ignore } from "../../lib/ignore.ts";
import type { EntryId, ProjectId, SessionId } from "../../protocol/ids.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";
import { readKept, writeKept } from "../../ui/kept-json.ts";
import { AgentInstalls } from "./agent-installs.ts";
import { foldShell } from "./fold-shell.ts";
import { KeptSplit, KeptTabs, keptFromTabs, SPLIT_KEY, splitFromKept, TABS_KEY, tabsFromKept } from "./kept-tabs.ts";
import { closeTab, keepTabs, moveTab, NO_TABS, type OpenTabs, openTab } from "./open-tabs.ts";
import { SeenSessions } from "./seen-sessions.ts";
import { SessionImports } from "./session-imports.ts";
import { groupRows, RowSignals, type RowsByProject } from "./session-rows.ts";
import { NO_DIALOG, type ShellDialog } from "./shell-dialog.ts";
import { EMPTY_SHELL, isComplete, type ShellState } from "./shell-state.ts";
import {
  type Arrangement,
  arrange,
  closeColumn,
  moveEdge,
  openBeside,
  type SplitView,
  shownColumns,
} from "./split-view.ts";
import { TerminalFeed } from "./terminal-feed.ts";
import { errorText, type Notify, troubleOf } from "./trouble.ts";

const COLLAPSED_KEY = "liminal:collapsed";
const Collapsed = z.record(z.string(), z.boolean());
type Collapsed = z.infer<typeof Collapsed>;

/** The menu of a session's row or tab, and what it belongs to. */
export interface RowMenu {
  readonly sessionId: SessionId;
  readonly button: HTMLElement;
  readonly place: "row" | "tab";
}

/** Whose title is being typed, and where. */
interface Renaming {
  readonly id: SessionId;
  readonly place: RowMenu["place"];
}

export type Ask = (request: ClientRequest) => Promise<ServerMessage>;

/** Stands for the composer of a session that is being created. */
export const NEXT_SESSION = { id: null };

/** The state of the page as signals, and the methods that change it. Session data comes from the server only. */
export class Shell {
  readonly #ask: Ask;
  readonly #server = signal<ShellState>(EMPTY_SHELL);
  readonly #tabs: Signal<OpenTabs>;
  readonly #split: Signal<SplitView>;
  readonly #collapsed: Signal<Collapsed>;
  readonly #archivesShown = signal<ReadonlySet<ProjectId>>(new Set());
  /** Listeners that get every server message. */
  readonly #listeners = new Set<(message: ServerMessage) => void>();
  readonly #closed: SessionId[] = [];
  /** Where the next session is started when the user does not say. */
  readonly #lastProject = signal<ProjectId | null>(null);
  readonly phase = signal<ConnectionPhase>({ phase: "connecting", failedTries: 0 });
  readonly dialog = signal<ShellDialog>(NO_DIALOG);
  /** What stands in the sessions' place; null shows the active tab. */
  readonly page = signal<"overview" | null>(null);
  readonly drawerOpen = signal(false);
  /** The server answers, but this browser is signed out. */
  readonly signedOut = signal(false);
  /** The socket is open, and the server answers nothing. */
  readonly isServerSilent = signal(false);
  /** Whose composer the cursor should go to; a new object is a new wish, which stands until the composer is there. */
  readonly focusWanted = signal<{ readonly id: SessionId | null } | null>(null);
  /** Which entry is to be brought into view. */
  readonly revealWanted = signal<{ readonly id: SessionId; readonly entryId: EntryId } | null>(null);
  readonly renaming = signal<Renaming | null>(null);
  readonly rowMenu = signal<RowMenu | null>(null);
  readonly draggedTab = signal<SessionId | null>(null);
  /** How much room there is for sessions. */
  readonly stagePx = signal(0);
  /** The sessions in view, from left to right. */
  readonly shown = computed(() =>
    this.page.value === null
      ? shownColumns({ tabs: this.#tabs.value, split: this.#split.value }, this.stagePx.value)
      : [],
  );
  /** The last error outside of any dialog. */
  readonly problem = signal<string | null>(null);
  readonly nowMs: Signal<number>;
  /** The sidebar's rows; a project without news keeps its list. */
  readonly rowsByProject: ReadonlySignal<RowsByProject>;
  readonly rows = new RowSignals();
  readonly terminals = new TerminalFeed();
  readonly seen = new SeenSessions(
    (request) => void this.attempt(request, ignore("a deleted session needs no reader")),
  );
  readonly imports = new SessionImports();
  readonly installs = new AgentInstalls((request, notify) => this.attempt(request, notify));

  constructor(ask: Ask, nowMs: number) {
    this.#ask = ask;
    this.nowMs = signal(nowMs);
    this.#tabs = signal(tabsFromKept(readKept(TABS_KEY, KeptTabs, keptFromTabs(NO_TABS))));
    this.#split = signal(splitFromKept(readKept(SPLIT_KEY, KeptSplit, { columns: [], shares: [] }), this.#tabs.peek()));
    let known: RowsByProject = new Map();
    this.rowsByProject = computed(() => {
      known = groupRows(this.#server.value.sessions, known);
      return known;
    });
    this.#collapsed = signal(readKept(COLLAPSED_KEY, Collapsed, {}));
  }

  get server(): ReadonlySignal<ShellState> {
    return this.#server;
  }

  get tabs(): ReadonlySignal<OpenTabs> {
    return this.#tabs;
  }

  get split(): ReadonlySignal<SplitView> {
    return this.#split;
  }

  get collapsed(): ReadonlySignal<Readonly<Collapsed>> {
    return this.#collapsed;
  }

  /** Projects that list their archived sessions too. */
  get archivesShown(): ReadonlySignal<ReadonlySet<ProjectId>> {
    return this.#archivesShown;
  }

  /** Handles every server message once, in order. */
  receive(message: ServerMessage): void {
    batch(() => {
      const before = this.#server.peek();
      const after = foldShell(before, message);
      this.#server.value = after;
      this.rows.follow(after);
      this.terminals.receive(message);
      this.installs.receive(message);
      this.seen.receive(message);
      this.imports.receive(message);
      for (const listener of this.#listeners) listener(message);
      if (message.type === "hello") for (const { id } of message.projects) this.#list(id);
      if (message.type === "project:added") this.#list(message.project.id);
      if (isComplete(after)) this.#setTabs(keepTabs(this.#tabs.peek(), (id) => after.sessions.has(id)));
    });
  }

  /** Calls the listener for every server message until the returned function is called. */
  listen(listener: (message: ServerMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The session that is in view, if one is. */
  shownSession(): SessionId | null {
    return this.page.value === null ? this.#tabs.value.active : null;
  }

  toggleOverview(): void {
    this.page.value = this.page.peek() === null ? "overview" : null;
    this.drawerOpen.value = false;
  }

  /** Shows a session; `focus` also puts the cursor into its composer. */
  open(id: SessionId, { focus = false } = {}): void {
    batch(() => {
      const projectId = this.#server.peek().sessions.get(id)?.projectId;
      if (projectId !== undefined) this.#lastProject.value = projectId;
      this.#setTabs(openTab(this.#tabs.peek(), id));
      this.drawerOpen.value = false;
      this.page.value = null;
      if (focus) this.focusWanted.value = { id };
    });
  }

  close(id: SessionId): void {
    this.#closed.push(id);
    const isStarting = this.#server.peek().sessions.get(id)?.start !== undefined;
    this.#setTabs(closeTab(this.#tabs.peek(), id));
    // After its frame has saved the draft: only a session without text is discarded.
    if (isStarting) void this.attempt({ type: "session:discard", sessionId: id });
  }

  /** Brings back the tab that was closed last, as far as its session is still there; false without one. */
  reopen(): boolean {
    const { sessions } = this.#server.peek();
    const { order } = this.#tabs.peek();
    let id = this.#closed.pop();
    while (id !== undefined && (!sessions.has(id) || order.includes(id))) id = this.#closed.pop();
    if (id === undefined) return false;
    this.open(id, { focus: true });
    return true;
  }

  /** Closes every tab but this one. */
  closeOthers(id: SessionId): void {
    for (const other of this.#tabs.peek().order) if (other !== id) this.close(other);
  }

  move(id: SessionId, to: number): void {
    this.#setTabs(moveTab(this.#tabs.peek(), id, to));
  }

  /** Shows a session beside the one that has the focus. */
  openBeside(id: SessionId): void {
    batch(() => {
      this.page.value = null;
      this.#settle(openBeside(this.#arrangement(), id));
      this.drawerOpen.value = false;
      this.focusWanted.value = { id };
    });
  }

  closeColumn(id: SessionId): void {
    this.#settle(closeColumn(this.#arrangement(), id));
  }

  /** Moves the edge after a column, by a share of the whole width. */
  moveEdge(index: number, by: number): void {
    const { tabs, split } = this.#arrangement();
    this.#settle({ tabs, split: moveEdge(split, index, by) });
  }

  /** Shows a session at one of its entries. */
  openAt(id: SessionId, entryId: EntryId): void {
    batch(() => {
      this.open(id);
      this.revealWanted.value = { id, entryId };
    });
  }

  toggleArchived(id: ProjectId): void {
    const shown = new Set(this.#archivesShown.peek());
    if (!shown.delete(id)) shown.add(id);
    this.#archivesShown.value = shown;
    this.#list(id);
  }

  toggleProject(id: ProjectId): void {
    const collapsed = this.#collapsed.peek();
    this.#collapsed.value = { ...collapsed, [id]: collapsed[id] !== true };
    writeKept(COLLAPSED_KEY, this.#collapsed.peek());
  }

  closeDialog(): void {
    this.dialog.value = NO_DIALOG;
  }

  /** Sends a request; a refusal is passed to `notify`. */
  async attempt(request: ClientRequest, notify: Notify = (words) => this.notify(words)) {
    try {
      return await this.#ask(request);
    } catch (error) {
      const trouble = troubleOf(error);
      notify(errorText(trouble), trouble);
      return null;
    }
  }

  notify(words: string): void {
    this.problem.value = words;
  }

  /** The project the user is in: that of the shown session, else the last one used, else the first. */
  projectAtHand(): ProjectId | null {
    const { projects, sessions } = this.#server.peek();
    const { active } = this.#tabs.peek();
    const shown = active === null ? undefined : sessions.get(active)?.projectId;
    const last = shown ?? this.#lastProject.peek();
    return projects.find(({ id }) => id === last)?.id ?? projects[0]?.id ?? null;
  }

  useProject(id: ProjectId): void {
    this.#lastProject.value = id;
  }

  #list(projectId: ProjectId): void {
    const includeArchived = this.#archivesShown.peek().has(projectId);
    void this.attempt({ type: "session:list", projectId, ...(includeArchived && { includeArchived }) });
  }

  #arrangement(): Arrangement {
    return { tabs: this.#tabs.peek(), split: this.#split.peek() };
  }

  #setTabs(tabs: OpenTabs): void {
    this.#settle(arrange(this.#arrangement(), tabs));
  }

  #settle({ tabs, split }: Arrangement): void {
    batch(() => {
      if (tabs !== this.#tabs.peek()) writeKept(TABS_KEY, keptFromTabs(tabs));
      if (split !== this.#split.peek()) writeKept(SPLIT_KEY, split);
      this.#tabs.value = tabs;
      this.#split.value = split;
    });
  }
}
