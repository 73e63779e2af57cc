import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { z } from "zod/mini";
import type { ConnectionPhase } from "../../client/connection.ts";
import type { ClientRequest } from "../../client/pending-requests.ts";
import { ignore } from "../../lib/ignore.ts";
import type { AttemptGroupId } from "../../protocol/attempt-ref.ts";
import type { ChangesScope } from "../../protocol/changes.ts";
import type { EntryId, ProjectId, SessionId } from "../../protocol/ids.ts";
import type { ShellToPortlet } from "../../protocol/portlet-messages.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import type { TerminalOutputFrame } from "../../protocol/terminal-frames.ts";
import { readKept, writeKept } from "../../ui/kept-json.ts";
import { AgentInstalls } from "./agent-installs.ts";
import { foldShell } from "./fold-shell.ts";
import { KeptSplit, KeptTabs, keptFromTabs, SPLIT_KEY, splitFromKept, TABS_KEY, tabsFromKept } from "./kept-tabs.ts";
import { closeTab, keepTabs, moveTab, NO_TABS, type OpenTabs, openTab } from "./open-tabs.ts";
import { SeenSessions } from "./seen-sessions.ts";
import { filteredRows, NO_FILTER, type SessionFilter } from "./session-filter.ts";
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

const DOCK_OPEN_KEY = "liminal:dock-open";
const DockOpen = z.boolean();
const COLLAPSED_KEY = "liminal:collapsed";
const Collapsed = z.record(z.string(), z.boolean());
type Collapsed = z.infer<typeof Collapsed>;

/** The menu of a session's row or tab, or of a project. */
export type RowMenu = { readonly button: HTMLElement } & (
  | { readonly place: "row" | "card" | "tab"; readonly sessionId: SessionId }
  | { readonly place: "project"; readonly projectId: ProjectId }
);

/** The last action that can be undone. */
export interface Undoable {
  /** What was done, as a sentence. */
  readonly words: string;
  /** The label for undoing it where no other context is visible. */
  readonly command: string;
  readonly undo: () => void;
}

/** The session whose title is being edited, and where. */
interface Renaming {
  readonly id: SessionId;
  readonly place: "row" | "tab";
}

export type Ask = (request: ClientRequest) => Promise<ServerMessage>;

/** Represents the composer of a session that is being created. */
export const NEXT_SESSION = { id: null };

/** What a session shows when it is opened, besides its latest entries. */
export type Revealed = Extract<ShellToPortlet, { type: "portlet:reveal" | "portlet:open-changes" }>;

/** A page that is shown instead of sessions. */
type ShellPage =
  | "overview"
  | "usage"
  | "agents"
  | { readonly worktreesOf: ProjectId }
  | { readonly schedulesOf: ProjectId }
  | { readonly attemptsOf: ProjectId; readonly groupId: AttemptGroupId };

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
  readonly #outputListeners = new Set<(output: TerminalOutputFrame) => void>();
  readonly #closed: SessionId[] = [];
  /** Projects whose worktrees the server reports to this connection. */
  readonly #watched = new Set<ProjectId>();
  /** The default project for the next session. */
  readonly #lastProject = signal<ProjectId | null>(null);
  readonly phase = signal<ConnectionPhase>({ phase: "connecting", failedTries: 0 });
  readonly dialog = signal<ShellDialog>(NO_DIALOG);
  /** What is shown instead of sessions; null shows the active tab. */
  readonly page = signal<ShellPage | null>(null);
  readonly drawerOpen = signal(false);
  /**
   * The terminal dock. `hasKeyboard`: it was opened by the user and takes the focus; a new object requests it again.
   */
  readonly dock = signal({ isOpen: readKept(DOCK_OPEN_KEY, DockOpen, false), hasKeyboard: false });
  /** The server answers, but this browser is signed out. */
  readonly signedOut = signal(false);
  /** The socket is open, and the server does not answer. */
  readonly isServerSilent = signal(false);
  /** Whose composer should get the focus; a new object is a new request, pending until the composer is ready. */
  readonly focusWanted = signal<{ readonly id: SessionId | null } | null>(null);
  /** Which entry should be scrolled into view, or whose Changes view opened. */
  readonly revealWanted = signal<{ readonly id: SessionId; readonly what: Revealed } | null>(null);
  /** The action that can be undone; it is offered for a moment, and in the palette until another action replaces it. */
  readonly undoable = signal<Undoable | null>(null);
  /** Which sessions the sidebar and the overview list. */
  readonly filter = signal<SessionFilter>(NO_FILTER);
  readonly renaming = signal<Renaming | null>(null);
  readonly rowMenu = signal<RowMenu | null>(null);
  readonly draggedTab = signal<SessionId | null>(null);
  /** The width available for sessions. */
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
  /** The sidebar's rows; a project without changes keeps its list. */
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
      known = groupRows(filteredRows(this.#server.value.sessions, this.filter.value), known);
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

  /** Projects that also list their archived sessions. */
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
      this.#watchWorktrees(message);
      if (isComplete(after)) this.#setTabs(keepTabs(this.#tabs.peek(), (id) => after.sessions.has(id)));
    });
  }

  /** Calls the listener for every server message until the returned function is called. */
  listen(listener: (message: ServerMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Output of project terminals. It does not affect the rest of the page. */
  receiveOutput(output: TerminalOutputFrame): void {
    for (const listener of this.#outputListeners) listener(output);
  }

  listenToOutput(listener: (output: TerminalOutputFrame) => void): () => void {
    this.#outputListeners.add(listener);
    return () => this.#outputListeners.delete(listener);
  }

  /** The session in view, if any. */
  shownSession(): SessionId | null {
    return this.page.value === null ? this.#tabs.value.active : null;
  }

  toggleOverview(): void {
    this.page.value = this.page.peek() === "overview" ? null : "overview";
    this.drawerOpen.value = false;
  }

  showUsage(): void {
    this.page.value = "usage";
    this.drawerOpen.value = false;
  }

  showAgents(): void {
    this.page.value = "agents";
    this.drawerOpen.value = false;
  }

  showWorktrees(worktreesOf: ProjectId): void {
    this.page.value = { worktreesOf };
    this.drawerOpen.value = false;
  }

  showAttempts(projectId: ProjectId, groupId: AttemptGroupId): void {
    this.page.value = { attemptsOf: projectId, groupId };
    this.drawerOpen.value = false;
  }

  showSchedules(schedulesOf: ProjectId): void {
    this.page.value = { schedulesOf };
    this.drawerOpen.value = false;
  }

  /** Shows the dock and focuses it, or hides it and focuses the session. */
  showDock(isOpen: boolean): void {
    writeKept(DOCK_OPEN_KEY, isOpen);
    this.dock.value = { isOpen, hasKeyboard: isOpen };
    const id = this.shownSession();
    if (!isOpen && id !== null) this.focusWanted.value = { id };
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

  /**
   * Shows a session that an answer over HTTP told of, with the cursor in its composer. Its row may come later over the
   * socket, and the next message would close a tab without one.
   */
  openAnswered(row: SessionRow): void {
    batch(() => {
      if (!this.#server.peek().sessions.has(row.id))
        this.receive({ type: "session:created", sessionId: row.id, projectId: row.projectId, session: row });
      this.open(row.id, { focus: true });
    });
  }

  close(id: SessionId): void {
    this.#closed.push(id);
    const isStarting = this.#server.peek().sessions.get(id)?.start !== undefined;
    this.#setTabs(closeTab(this.#tabs.peek(), id));
    // After its frame has saved the draft: only a session without text is discarded.
    if (isStarting) void this.attempt({ type: "session:discard", sessionId: id });
  }

  /** Reopens the last closed tab whose session still exists; false if there is none. */
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

  /** Shows a session beside the focused one. */
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

  /** Moves the edge after a column by a share of the whole width. */
  moveEdge(index: number, by: number): void {
    const { tabs, split } = this.#arrangement();
    this.#settle({ tabs, split: moveEdge(split, index, by) });
  }

  /** Shows a session at one of its entries. */
  openAt(id: SessionId, entryId: EntryId): void {
    batch(() => {
      this.open(id);
      this.revealWanted.value = { id, what: { type: "portlet:reveal", entryId } };
    });
  }

  /** Shows a session with its Changes view. */
  openChanges(id: SessionId, scope: ChangesScope | null): void {
    batch(() => {
      this.open(id);
      this.revealWanted.value = { id, what: { type: "portlet:open-changes", ...(scope !== null && { scope }) } };
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

  /** The current project: that of the shown session, else the last one used, else the first. */
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

  /** The sidebar shows overlaps of worktrees: they are requested once a session works in one, and then pushed. */
  #watchWorktrees(message: ServerMessage): void {
    if (message.type === "hello") this.#watched.clear();
    const rows =
      message.type === "session:list"
        ? message.sessions
        : message.type === "session:changed"
          ? [message]
          : message.type === "session:created"
            ? [message.session]
            : [];
    for (const { projectId, worktree } of rows) {
      if (worktree === null || this.#watched.has(projectId)) continue;
      this.#watched.add(projectId);
      void this.attempt({ type: "worktree:list", projectId }, ignore("the rows show no overlaps"));
    }
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
