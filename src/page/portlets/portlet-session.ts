import type { Connection } from "../../client/connection.ts";
import type { SessionMessage } from "../../client/followed-sessions.ts";
import { ignore } from "../../lib/ignore.ts";
import { ClientMessage } from "../../protocol/client-messages.ts";
import type { CliType, EntryId, SessionId } from "../../protocol/ids.ts";
import type { PortletToShell, ShellToPortlet } from "../../protocol/portlet-messages.ts";
import type { FilesFound } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { type AgentStanding, agentOf, agentStandingOf, rowOf, type ShellState } from "../state/shell-state.ts";
import { errorText, troubleOf } from "../state/trouble.ts";
import { ChildrenFeed } from "./children-feed.ts";
import type { PortletFrame } from "./portlet-frame.ts";

/** The newest entries a frame is opened with: some screens of them. Older ones come when the reader goes towards them. */
const OPENED_ENTRIES = 60;

/** What runs between one session and its frame: its messages in, its commands out, and its surroundings. */
export class PortletSession {
  readonly #frame: PortletFrame;
  readonly #connection: Connection;
  readonly #id: SessionId;
  #unfollow: () => void = ignore("followed from the frame's first message on");
  #standing: AgentStanding | null = null;
  #connected = false;
  #writable = true;
  #surroundings = "";
  #toReveal: EntryId | null = null;
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

  /** The frame listens, for the first time or anew: tell it everything from the start. */
  greet(state: ShellState, connected: boolean): void {
    this.#standing = null;
    this.#surroundings = "";
    this.#connected = !connected;
    this.#writable = true;
    this.#children.reset();
    this.update(state, connected);
    this.#frame.tellVisible();
    this.#refollow();
    this.#tellToReveal();
  }

  /** Brings an entry into view, now or when the frame listens. */
  reveal(entryId: EntryId): void {
    this.#toReveal = entryId;
    this.#tellToReveal();
  }

  /** Keeps the frame's surroundings up to date; says only what changed. */
  update(state: ShellState, connected: boolean): void {
    const session = state.sessions.get(this.#id);
    if (session === undefined) return;
    this.#frame.setTitle(session.title);
    if (!this.#frame.ready) return;
    this.#tellSurroundings(state, session);
    this.#tellStanding(agentStandingOf(state, session));
    this.#children.update(state, this.#frame.visible);
    if (connected !== this.#connected) this.#frame.post({ type: "portlet:connection", connected });
    this.#connected = connected;
    const { writable } = state.storage;
    if (writable !== this.#writable) this.#frame.post({ type: "portlet:storage", writable });
    this.#writable = writable;
  }

  /** A command of the frame's, completed with its session; what is none is ignored without effect. */
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
      // The page says so above, and the frame keeps the draft until it can be stored.
      if (command.type === "session:draft" && trouble.code === "STORAGE_UNWRITABLE") return;
      this.#frame.post({
        type: "session:error",
        message: errorText(trouble),
        ...(trouble.fields ? { fields: trouble.fields } : {}),
        ...(commandId ? { commandId } : {}),
      });
    }
  }

  end(): void {
    this.#unfollow();
    this.#children.end();
    this.#frame.remove();
  }

  #tellToReveal(): void {
    if (this.#toReveal === null || !this.#frame.ready) return;
    this.#frame.post({ type: "portlet:reveal", entryId: this.#toReveal });
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

  #tellSurroundings(state: ShellState, { cliType, projectId, parentId }: SessionRow): void {
    const agentName = agentOf(state, cliType)?.name ?? cliType;
    const project = state.projects.find(({ id }) => id === projectId);
    const projectName = project?.name ?? "";
    const directory = project?.path ?? "";
    const parentTitle = parentId === undefined ? undefined : rowOf(state, parentId)?.title;
    const surroundings = [projectName, directory, agentName, parentTitle].join("\n");
    if (surroundings === this.#surroundings) return;
    this.#surroundings = surroundings;
    this.#frame.post({
      type: "portlet:session",
      cliType,
      agentName,
      projectName,
      directory,
      ...(parentTitle !== undefined && { parentTitle }),
    });
  }

  #tellStanding(standing: AgentStanding): void {
    const { status, message, nextTryAt, startFailure } = standing;
    const told = this.#standing;
    const isTold = told?.status === status && told.message === message && told.nextTryAt === nextTryAt;
    if (isTold && told.startFailure === startFailure) return;
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

/** A session's message as its frame hears it: less the id the frame stands for, and less what only the shell asked. */
function forPortlet(message: SessionMessage): ShellToPortlet {
  if (message.type === "error") return { type: "session:error", message: message.message };
  const { sessionId: _session, requestId: _request, ...rest } = message;
  return rest;
}

/** Files that this frame asked for. */
function filesForPortlet({ query, files, isPartial }: FilesFound): ShellToPortlet {
  return { type: "files:found", query, files, isPartial };
}

/** A frame speaks for its own session only: its command gets that session's id, and anything else is no command of a frame. */
export function completeCommand(
  message: PortletToShell,
  session: { readonly id: SessionId; readonly cliType: CliType },
): ClientMessage | null {
  const whole = { ...message, requestId: undefined, sessionId: session.id, cliType: session.cliType };
  const parsed = ClientMessage.safeParse(whole);
  return parsed.success && "sessionId" in parsed.data ? parsed.data : null;
}
