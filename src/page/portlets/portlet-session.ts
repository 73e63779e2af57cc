import type { Connection } from "../../client/connection.ts";
import type { SessionMessage } from "../../client/followed-sessions.ts";
import { ignore } from "../../lib/ignore.ts";
import { overlapDetails, overlapWords } from "../../presentation/worktree-words.ts";
import type { ClientMessage } from "../../protocol/client-messages.ts";
import type { CliType, SessionId } from "../../protocol/ids.ts";
import { isPortletCommand, type PortletToShell } from "../../protocol/portlet-commands.ts";
import type { ShellToPortlet, ShownBranch, ShownOrigin } from "../../protocol/portlet-messages.ts";
import type { PlainServerMessage, ServerMessage } from "../../protocol/server-messages.ts";
import type { FilesFound } from "../../protocol/session-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { snippetsFor } from "../../protocol/snippets.ts";
import type { Revealed } from "../state/shell.ts";
import {
  type AgentState,
  agentOf,
  agentStateOf,
  directoryOf,
  rowOf,
  type ShellState,
  worktreeOf,
} from "../state/shell-state.ts";
import { readerOf } from "../state/standing.ts";
import { errorText, troubleOf } from "../state/trouble.ts";
import { ChildrenFeed } from "./children-feed.ts";
import type { PortletFrame } from "./portlet-frame.ts";

/** Number of newest entries a frame starts with: a few screens. Older ones are loaded when the user scrolls up. */
const OPENED_ENTRIES = 60;

/** Connects one session to its frame: messages in, commands out, and the context around it. */
export class PortletSession {
  readonly #frame: PortletFrame;
  readonly #connection: Connection;
  readonly #id: SessionId;
  #unfollow: () => void = ignore("followed from the frame's first message on");
  #standing: AgentState | null = null;
  #connected = false;
  #writable = true;
  #surroundings = "";
  #toReveal: Revealed | null = null;
  readonly #children: ChildrenFeed;
  readonly #onOpened: () => void;
  #isOpened = false;

  /** `onOpened`: the frame has its session's history, or the reason why there is none. */
  constructor(frame: PortletFrame, connection: Connection, id: SessionId, onOpened: () => void) {
    this.#frame = frame;
    this.#connection = connection;
    this.#id = id;
    this.#onOpened = onOpened;
    frame.assign(id);
    this.#children = new ChildrenFeed({ id, connection, post: (message) => frame.post(message) });
  }

  /** The frame is ready, for the first time or after a reload: sends everything. */
  greet(state: ShellState, connected: boolean): void {
    this.#standing = null;
    this.#surroundings = "";
    this.#connected = !connected;
    this.#writable = true;
    this.#children.reset();
    this.update(state, connected);
    this.#frame.sendVisible();
    this.#refollow();
    this.#sendReveal();
  }

  /** Scrolls to an entry or opens the Changes view, now or when the frame is ready. */
  reveal(what: Revealed): void {
    this.#toReveal = what;
    this.#sendReveal();
  }

  /** Updates the frame's context; sends only changes. */
  update(state: ShellState, connected: boolean): void {
    const session = state.sessions.get(this.#id);
    if (session === undefined) return;
    this.#frame.setTitle(session.title);
    if (!this.#frame.ready) return;
    this.#sendContext(state, session);
    this.#sendAgentStatus(agentStateOf(state, session));
    this.#children.update(state, this.#frame.visible);
    if (connected !== this.#connected) this.#frame.post({ type: "portlet:connection", connected });
    this.#connected = connected;
    const { writable } = state.storage;
    if (writable !== this.#writable) this.#frame.post({ type: "portlet:storage", writable });
    this.#writable = writable;
  }

  /** A command of the frame, completed with its session; anything else is ignored. */
  async command(message: PortletToShell, session: SessionRow): Promise<void> {
    const command = completeCommand(message, session);
    if (command === null || command.type === "session:close") return;
    if (command.type === "session:open") {
      this.#refollow();
      return;
    }
    try {
      const answer = await this.#connection.request(command);
      if (answer.type === "files:found") this.#frame.post(filesForPortlet(answer));
    } catch (error) {
      const { commandId } = command;
      const trouble = troubleOf(error);
      // The page shows the problem, and the frame keeps the draft until it can be stored.
      if (command.type === "session:draft" && trouble.code === "STORAGE_UNWRITABLE") return;
      this.#frame.post({
        type: "session:error",
        message: errorText(trouble),
        ...(trouble.fields ? { fields: trouble.fields } : {}),
        ...(commandId ? { commandId } : {}),
      });
    }
  }

  /** What the composer may offer. Without an answer of the server it offers sessions only. */
  async offer(state: ShellState): Promise<void> {
    const row = state.sessions.get(this.#id);
    const listed = await this.#connection.request({ type: "snippet:list" }).catch(ignore("sessions are offered alone"));
    const known = listed?.type === "snippet:list" ? snippetsFor(listed.snippets, row?.projectId ?? null) : [];
    const snippets = known.map(({ name, body, projectId }) => ({ name, body, isOfProject: projectId !== undefined }));
    this.#frame.post({ type: "portlet:offers", snippets, sessions: [...mentionable(state, this.#id)] });
  }

  /** A command of the frame that waits for its answer. */
  async request(
    { id, command: asked }: Extract<PortletToShell, { command: unknown }>,
    session: SessionRow,
  ): Promise<ServerMessage | null> {
    const command = ANSWERED.test(asked.type) ? completeCommand(asked, session) : null;
    if (command === null) return null;
    try {
      const answer = await this.#connection.request(command);
      if (isAnswer(answer)) this.#frame.post({ type: "portlet:answer", id, answer });
      return answer;
    } catch (error) {
      const trouble = troubleOf(error);
      const { code, message: words, details } = trouble;
      const refusal = { code, message: errorText(trouble), words, ...(details !== undefined && { details }) };
      this.#frame.post({ type: "portlet:answer", id, refusal });
      return null;
    }
  }

  end(): void {
    this.#unfollow();
    this.#children.end();
    this.#frame.remove();
  }

  #sendReveal(): void {
    if (this.#toReveal === null || !this.#frame.ready) return;
    this.#frame.post(this.#toReveal);
    this.#toReveal = null;
  }

  #refollow(): void {
    this.#unfollow();
    this.#frame.forget();
    const onMessage = (message: SessionMessage) => {
      this.#frame.post(forPortlet(message));
      if (this.#isOpened) return;
      this.#isOpened = true;
      this.#onOpened();
    };
    this.#unfollow = this.#connection.follow(this.#id, onMessage, OPENED_ENTRIES);
  }

  #sendContext(state: ShellState, session: SessionRow): void {
    const { cliType, projectId, parentId } = session;
    const agent = agentOf(state, cliType);
    const agentName = agent?.name ?? cliType;
    const account = agent?.limits?.account;
    const handback = agent?.capabilities["handback"] === true;
    const projectName = state.projects.find(({ id }) => id === projectId)?.name ?? "";
    const worktree = worktreeOf(state, session);
    const directory = directoryOf(state, session);
    const base = worktree?.base ?? undefined;
    const words = worktree === undefined ? "" : overlapWords(worktree);
    const overlap = worktree && words !== "" ? { words, details: overlapDetails(worktree) } : undefined;
    const parentTitle = parentId === undefined ? undefined : rowOf(state, parentId)?.title;
    const { origin: from } = session;
    const origin = from && originOf(state, session, from);
    const branches = branchesShownIn(state, session);
    const person = readerOf(state, projectId);
    const marks = branches.map(({ sessionId, title }) => `${sessionId} ${title}`);
    const about = [agentName, account, handback, origin?.title, origin?.agentName, person?.id, person?.looks, ...marks];
    const surroundings = [projectName, directory, ...about, parentTitle, base, words, overlap?.details].join("\n");
    if (surroundings === this.#surroundings) return;
    this.#surroundings = surroundings;
    this.#frame.post({
      type: "portlet:session",
      cliType,
      agentName,
      projectName,
      directory,
      ...(account !== undefined && { account }),
      ...(parentTitle !== undefined && { parentTitle }),
      ...(handback && { handback }),
      ...(origin && { origin }),
      ...(branches.length > 0 && { branches }),
      ...(base !== undefined && { base }),
      ...(overlap !== undefined && { overlap }),
      ...(person && { person }),
    });
  }

  #sendAgentStatus(standing: AgentState): void {
    const { status, message, nextTryAt, startFailure } = standing;
    const told = this.#standing;
    const isReported = told?.status === status && told.message === message && told.nextTryAt === nextTryAt;
    if (isReported && told.startFailure === startFailure) return;
    this.#standing = standing;
    this.#frame.post({
      type: "agent:status",
      status,
      ...(message !== undefined && { message }),
      ...(nextTryAt !== undefined && { nextTryAt }),
      ...(startFailure !== undefined && { startFailure }),
    });
  }
}

/** A session's message for its frame: without the session id, and without answers to the shell's own requests. */
function forPortlet(message: SessionMessage): ShellToPortlet {
  if (message.type === "error") return { type: "session:error", message: message.message };
  const { sessionId: _session, requestId: _request, ...rest } = message;
  return rest;
}

/** The commands of a frame that wait for an answer. */
const ANSWERED = /^(?:files|changes|checkpoint|workdir):|^session:(?:branch|created)$|^agent:(?:options|favourite)$/;

function isAnswer(message: ServerMessage): message is PlainServerMessage {
  return message.type === "ok" || ANSWERED.test(message.type);
}

function originOf(state: ShellState, { cliType }: SessionRow, from: NonNullable<SessionRow["origin"]>): ShownOrigin {
  const source = rowOf(state, from.sessionId);
  const isOther = source !== undefined && source.cliType !== cliType;
  return {
    title: source?.title ?? "…",
    how: from.how,
    ...(from.entryId !== undefined && { entryId: from.entryId }),
    ...(isOther && { agentName: agentOf(state, source.cliType)?.name ?? source.cliType }),
  };
}

/** More at all its points together are not listed. */
const BRANCHES_MAX = 200;

/** Its branches, and those with its own origin, oldest first. */
function branchesShownIn(state: ShellState, { id, origin }: SessionRow): ShownBranch[] {
  return branchRows(state.sessions)
    .filter(({ id: other, origin: from }) => {
      if (from?.sessionId === id) return true;
      return other !== id && from?.sessionId === origin?.sessionId && from?.entryId === origin?.entryId;
    })
    .slice(-BRANCHES_MAX)
    .map(({ id: sessionId, title, cliType, createdAt, origin: from }) => ({
      ...{ sessionId, title, cliType, createdAt },
      agentName: agentOf(state, cliType)?.name ?? cliType,
      ...(from?.entryId !== undefined && { entryId: from.entryId }),
    }));
}

const branchesIn = new WeakMap<ShellState["sessions"], readonly SessionRow[]>();

/** All branches, oldest first: looked for once for all frames. */
function branchRows(sessions: ShellState["sessions"]): readonly SessionRow[] {
  const known = branchesIn.get(sessions);
  if (known) return known;
  const rows = [...sessions.values()]
    .filter(({ origin }) => origin !== undefined)
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  branchesIn.set(sessions, rows);
  return rows;
}

const MENTIONABLE_MAX = 200;

/** The sessions that a message may mention, newest first. */
function mentionable(state: ShellState, own: SessionId) {
  return [...state.sessions.values()]
    .filter(({ id, archived }) => id !== own && !archived)
    .sort((a, b) => (a.lastActiveAt < b.lastActiveAt ? 1 : -1))
    .slice(0, MENTIONABLE_MAX)
    .map(({ id, title, projectId }) => {
      return { sessionId: id, title, project: state.projects.find((one) => one.id === projectId)?.name ?? "" };
    });
}

/** Files that this frame requested. */
function filesForPortlet({ query, files, isPartial }: FilesFound): ShellToPortlet {
  return { type: "files:found", query, files, isPartial };
}

/** A frame may only act on its own session: its command gets that session's id, and anything else is rejected. */
export function completeCommand(
  message: PortletToShell | { readonly type: string },
  session: { readonly id: SessionId; readonly cliType: CliType },
): ClientMessage | null {
  if (!isPortletCommand(message.type)) return null;
  const own = "cliType" in message || message.type === "session:reconnect" ? { cliType: session.cliType } : {};
  return { ...message, requestId: undefined, sessionId: session.id, ...own } as ClientMessage;
}
