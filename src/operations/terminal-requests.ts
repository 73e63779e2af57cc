import type {
  ProjectTerminalMessage,
  TerminalAttach,
  TerminalClient,
  TerminalDirectory,
  TerminalMessage,
  TerminalSend,
} from "../bridge/answer-message.ts";
import type { NewTerminal, ProjectTerminals, TerminalOutput } from "../ports/terminals.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { ProjectId, SessionId } from "../protocol/ids.ts";
import { canAt } from "../protocol/place-capabilities.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import type { TerminalId } from "../protocol/terminals.ts";
import { WorktreeId } from "../protocol/worktree-ref.ts";
import type { Answer } from "../sessions/answer.ts";
import type { SessionService } from "../sessions/session-service.ts";

/** Loaded with the first terminal that is shown, in that step (decision 149). */
const LATER = {
  frames: (): typeof import("../protocol/terminal-frames.ts") => require("../protocol/terminal-frames.ts"),
};

/** Where a terminal is opened. */
type Place = Pick<NewTerminal, "projectId" | "worktreeId" | "cwd">;

interface TerminalRequestsDeps {
  readonly terminals: ProjectTerminals;
  /** Each is null when there is no such thing. */
  readonly placeOf: {
    readonly project: (projectId: ProjectId) => Place | null;
    readonly worktree: (worktreeId: WorktreeId) => Promise<Place | null>;
    readonly session: (sessionId: SessionId) => Promise<Place | null>;
  };
  /** Runs a command that is sent twice once. */
  readonly once: SessionService["once"];
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The clients of one terminal. */
interface Clients {
  /** The size that each one has room for. */
  readonly sizes: Map<TerminalClient, Size>;
  readonly attached: Set<TerminalClient>;
  /** The last one that typed, while it is attached. */
  typist: TerminalClient | null;
}

/** Terminal requests of clients. The size follows the client that typed last. */
export class TerminalRequests implements TerminalDirectory {
  readonly #deps: TerminalRequestsDeps;
  readonly #clients = new Map<TerminalId, Clients>();

  constructor(deps: TerminalRequestsDeps) {
    this.#deps = deps;
    deps.terminals.onChanged(({ terminalId }) => {
      const terminals = deps.terminals.list();
      if (!terminals.some((terminal) => terminal.terminalId === terminalId)) this.#clients.delete(terminalId);
      deps.publish({ type: "terminal:list", terminals: [...terminals] });
    });
  }

  async answer(message: ProjectTerminalMessage): Promise<Answer> {
    const { terminals } = this.#deps;
    if (message.type === "terminal:list")
      return {
        kind: "message",
        message: { type: "terminal:list", terminals: [...terminals.list()] },
        published: false,
      };
    const answer = await this.#deps.once(message.commandId, () => this.#open(message));
    // The user may need a terminal to repair the disk.
    const isUnstored = answer.kind === "refused" && answer.refusal.code === "STORAGE_UNWRITABLE";
    return isUnstored ? this.#open(message) : answer;
  }

  async #open(message: Extract<ProjectTerminalMessage, { type: "terminal:open" }>): Promise<Answer> {
    const place = await this.#placeOf(message);
    const { title = "", columns, rows } = message;
    const opened = await this.#deps.terminals.open({
      ...{ ...place, kind: "shell", title, command: null, env: {}, columns, rows },
    });
    const answer = { type: "terminal:opened", terminalId: opened.terminalId, title: opened.title } as const;
    return { kind: "message", message: answer, published: false };
  }

  forward(message: TerminalMessage, client: TerminalClient): Promise<Answer> | null {
    const { terminals } = this.#deps;
    const { terminalId } = message;
    if (!terminals.list().some((terminal) => terminal.terminalId === terminalId)) return null;
    switch (message.type) {
      case "terminal:input":
        this.#typed(terminalId, client);
        terminals.input(terminalId, message.data);
        return Promise.resolve({ kind: "ok" });
      case "terminal:resize":
        this.#hasRoom(terminalId, client, message);
        return Promise.resolve({ kind: "ok" });
      case "terminal:close":
        return terminals.close(terminalId).then(() => ({ kind: "ok" }));
      default:
        return message satisfies never;
    }
  }

  async attach(
    { terminalId, after, output }: TerminalAttach,
    client: TerminalClient,
    send: TerminalSend,
  ): ReturnType<TerminalDirectory["attach"]> {
    const { reader, ...attached } = await this.#deps.terminals.attach(terminalId, after ?? null, {
      onOutput: output === "binary" ? sendBinary(terminalId, send) : sendText(terminalId, send),
      onEnd: (exitCode) => send.message({ type: "terminal:exited", terminalId, exitCode }),
    });
    this.#clientsOf(terminalId).attached.add(client);
    return {
      attached: { type: "terminal:attached", ...attached },
      reader: {
        acknowledged: (offset) => reader.acknowledged(offset),
        [Symbol.dispose]: () => {
          reader[Symbol.dispose]();
          this.#left(terminalId, client);
        },
      },
    };
  }

  async #placeOf({
    projectId,
    worktreeId,
    sessionId,
  }: Extract<ProjectTerminalMessage, { type: "terminal:open" }>): Promise<Place> {
    const { placeOf } = this.#deps;
    if (sessionId !== undefined) return placed(await placeOf.session(sessionId), REFUSE.sessionNotFound());
    if (worktreeId !== undefined) {
      const { data: id } = WorktreeId.safeParse(worktreeId);
      return placed(id === undefined ? null : await placeOf.worktree(id), REFUSE.worktreeNotFound());
    }
    if (projectId !== undefined) return placed(placeOf.project(projectId), REFUSE.projectNotFound());
    throw new RefusalError(REFUSE.invalidMessage("projectId: name a project, a worktree or a session to open it in"));
  }

  #clientsOf(terminalId: TerminalId): Clients {
    const known = this.#clients.get(terminalId) ?? { sizes: new Map(), attached: new Set(), typist: null };
    this.#clients.set(terminalId, known);
    return known;
  }

  #typed(terminalId: TerminalId, client: TerminalClient): void {
    const clients = this.#clientsOf(terminalId);
    if (clients.attached.has(client)) clients.typist = client;
    const size = clients.sizes.get(client);
    if (size && clients.typist === client) this.#deps.terminals.resize(terminalId, size.columns, size.rows);
  }

  /** The size of a client that does not type is only stored. */
  #hasRoom(terminalId: TerminalId, client: TerminalClient, { columns, rows }: Size): void {
    const clients = this.#clientsOf(terminalId);
    if (clients.attached.has(client)) clients.sizes.set(client, { columns, rows });
    if (clients.typist === null || clients.typist === client) this.#deps.terminals.resize(terminalId, columns, rows);
  }

  #left(terminalId: TerminalId, client: TerminalClient): void {
    const clients = this.#clients.get(terminalId);
    if (!clients) return;
    clients.attached.delete(client);
    clients.sizes.delete(client);
    if (clients.typist === client) clients.typist = null;
  }
}

function sendBinary(terminalId: TerminalId, send: TerminalSend): (output: TerminalOutput) => void {
  const frames = new (LATER.frames().TerminalFrameWriter)(terminalId);
  return (output) => send.bytes(frames.write(output));
}

function sendText(terminalId: TerminalId, send: TerminalSend): (output: TerminalOutput) => void {
  const decoder = new TextDecoder();
  return ({ bytes, offset, skipped, size }) =>
    send.message({
      type: "terminal:output",
      terminalId,
      data: decoder.decode(bytes),
      offset,
      ...(skipped > 0 && { skipped }),
      ...size,
    });
}

function placed(place: Place | null, refusal: ConstructorParameters<typeof RefusalError>[0]): Place {
  if (!place) throw new RefusalError(refusal);
  if (!canAt(place.cwd, "terminals")) throw new RefusalError(REFUSE.notAtPlace("A terminal"));
  return place;
}
