import { randomUUID } from "node:crypto";
import { type ClientSocket, type ClientWorld, Connection } from "../client/connection.ts";
import type { ClientRequest } from "../client/pending-requests.ts";
import { type After, afterTimeout } from "../lib/absence-watch.ts";
import { ignore } from "../lib/ignore.ts";
import { RefusalError } from "../protocol/errors.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { PlainServerMessage, ServerMessage } from "../protocol/server-messages.ts";
import type { TerminalOutputFrame } from "../protocol/terminal-frames.ts";
import type { Environment } from "./command-line.ts";
import { CliError, EXIT } from "./exit-codes.ts";
import { printNote } from "./print.ts";
import { NoServerError, RunningServer, SilentServerError } from "./running-server.ts";
import { runningServer, startInBackground } from "./start-in-background.ts";

/** A server that was running gets this many tries to return, some 20 s, before a command fails. */
const FAILED_TRIES_MAX = 6;
/** A healthy server greets clients, and answers from memory, long before that. */
export const ANSWER_MS_MAX = 20_000;

type Hello = Extract<PlainServerMessage, { type: "hello" }>;
type AnswerOf<Type extends PlainServerMessage["type"]> = Extract<PlainServerMessage, { type: Type }>;

interface LinkParts {
  readonly server: RunningServer;
  readonly connection: Connection;
  readonly lost: Promise<never>;
  readonly deleted: DeletedSessions;
  readonly listeners: Set<MessageListener>;
  readonly outputListeners: Set<OutputListener>;
}

type MessageListener = (message: ServerMessage) => void;
type OutputListener = (output: TerminalOutputFrame) => void;

/** The connected server. Refusals are thrown with the server's message. */
export class ServerLink implements Disposable {
  readonly server: RunningServer;
  readonly connection: Connection;
  readonly hello: Hello;
  /** Rejects when the server does not return; never resolves. */
  readonly lost: Promise<never>;
  readonly #deleted: DeletedSessions;
  readonly #listeners: Set<MessageListener>;
  readonly #outputListeners: Set<OutputListener>;

  constructor({ server, connection, lost, deleted, listeners, outputListeners }: LinkParts, hello: Hello) {
    this.server = server;
    this.connection = connection;
    this.hello = hello;
    this.lost = lost;
    this.#deleted = deleted;
    this.#listeners = listeners;
    this.#outputListeners = outputListeners;
  }

  /** Every message from now on; `hello` again after the server was started again. */
  listen(listener: MessageListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Output of terminals that were attached with `output: "binary"`. */
  listenToOutput(listener: OutputListener): Disposable {
    this.#outputListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#outputListeners.delete(listener) };
  }

  /** Rejects when there is nothing left to follow: the session was deleted, or the server does not return. */
  gone(sessionId: SessionId): Promise<never> {
    return Promise.race([this.lost, this.#deleted.until(sessionId)]);
  }

  /** `answerMsMax`: for answers from memory. Others depend on an agent. */
  async ask<Type extends PlainServerMessage["type"]>(
    type: Type,
    request: ClientRequest,
    answerMsMax?: number,
  ): Promise<AnswerOf<Type>> {
    const answered = this.#answered(request);
    const answer = await (answerMsMax === undefined ? answered : this.#within(answerMsMax, answered));
    if (isOfType(answer, type)) return answer;
    throw new Error(`the server sent ${answer.type} instead of ${type}`);
  }

  /** For commands with a plain ok as their answer. */
  async act(request: ClientRequest): Promise<void> {
    await this.#answered(request);
  }

  [Symbol.dispose](): void {
    this.connection.close();
  }

  async #within<Answer>(limitMs: number, answered: Promise<Answer>): Promise<Answer> {
    const silent = Promise.withResolvers<never>();
    const cancel = afterTimeout(limitMs, () => silent.reject(new SilentServerError(this.server, limitMs)));
    try {
      return await Promise.race([answered, silent.promise]);
    } finally {
      cancel();
    }
  }

  async #answered(request: ClientRequest): Promise<ServerMessage> {
    try {
      return await Promise.race([this.connection.request(request), this.lost]);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      const { code, message, details } = error.refusal;
      const words =
        details === undefined ? message : code === "INVALID_MESSAGE" ? wrongWords(details) : `${message} ${details}`;
      throw new CliError(EXIT.failed, words, code, error);
    }
  }
}

/** The error in a value. A full sentence stays without the name of its field in the message. */
function wrongWords(details: string): string {
  const [, sentence] = /^[\w.]+: (.*\.)$/s.exec(details) ?? [];
  return sentence === undefined ? `Not accepted: ${details}` : sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}

/** Connects to the server of this data directory; if none runs, one is started, unless only a running one makes sense. */
export async function connect(env: Environment, whenNone: "start" | "fail" = "start"): Promise<ServerLink> {
  const running = await runningServer(env, "fail");
  const elsewhere = env["LIMINAL_SERVER"];
  if (running === null && elsewhere)
    throw new NoServerError(`No server answers at ${elsewhere}. Check the address, and that the server runs there.`);
  const server = running ?? (whenNone === "start" ? await startInBackground(env) : new RunningServer(env));
  const greeted = Promise.withResolvers<Hello>();
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(ignore("pending requests are rejected and report it"));
  const deleted = new DeletedSessions();
  const listeners = new Set<MessageListener>();
  const outputListeners = new Set<OutputListener>();
  let forgetSilence = ignore("no connection is open yet");
  const connection: Connection = new Connection({
    url: server.origin,
    world: worldOf(env, server),
    onMessage: (message) => {
      if (message.type === "hello") {
        forgetSilence();
        greeted.resolve(message);
      }
      if (message.type === "session:deleted") deleted.received(message.sessionId);
      for (const listener of listeners) listener(message);
    },
    onTerminalOutput: (output) => {
      for (const listener of outputListeners) listener(output);
    },
    onSilence: (isSilent) => {
      if (isSilent)
        printNote(
          "The server is not responding. It may be busy; still waiting. If this continues, run liminal stop and try again.",
        );
      else if (connection.phase.phase === "open") printNote("The server is responding again.");
    },
    onPhase: (phase) => {
      forgetSilence();
      if (phase.phase === "open")
        forgetSilence = afterTimeout(ANSWER_MS_MAX, () => lost.reject(new SilentServerError(server, ANSWER_MS_MAX)));
      if (phase.phase !== "waiting-to-retry" || phase.failedTries < FAILED_TRIES_MAX) return;
      lost.reject(new CliError(EXIT.noServer, "The server has stopped. Start it with: liminal serve", "NO_SERVER"));
    },
  });
  try {
    const hello = await Promise.race([greeted.promise, lost.promise]);
    for (const problem of hello.startProblems ?? []) printNote(`Warning: ${problem}`);
    return new ServerLink({ server, connection, lost: lost.promise, deleted, listeners, outputListeners }, hello);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function worldOf(env: Environment, first: RunningServer): ClientWorld {
  return {
    openSocket: () => socketOf(env, first),
    now: Date.now,
    after: afterAwakeTimeout,
    random: Math.random,
    newId: () => randomUUID(),
  };
}

/**
 * A timer that keeps the process running: between two sockets nothing else does, and the command would end silently.
 */
const afterAwakeTimeout: After = (ms, call) => {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
};

/** Looked up for each socket: a restarted server may listen elsewhere. */
function socketOf(env: Environment, first: RunningServer): ClientSocket {
  try {
    return new RunningServer(env).openSocket();
  } catch (error) {
    if (error instanceof CliError) return first.openSocket();
    throw error;
  }
}

function isOfType<Type extends PlainServerMessage["type"]>(
  message: ServerMessage,
  type: Type,
): message is Extract<PlainServerMessage, { type: Type }> {
  return message.type === type;
}

/** Ends the wait for a session that was deleted: no more messages will arrive. */
class DeletedSessions {
  readonly #ends = new Map<SessionId, PromiseWithResolvers<never>>();

  received(sessionId: SessionId): void {
    const words = "The session was deleted. List sessions with: liminal ls";
    this.#endOf(sessionId).reject(new CliError(EXIT.failed, words, "SESSION_NOT_FOUND"));
  }

  /** Rejects with a message for the user; never resolves. */
  until(sessionId: SessionId): Promise<never> {
    return this.#endOf(sessionId).promise;
  }

  #endOf(sessionId: SessionId): PromiseWithResolvers<never> {
    const known = this.#ends.get(sessionId);
    if (known) return known;
    const end = Promise.withResolvers<never>();
    end.promise.catch(ignore("usually no command is waiting for the deleted session"));
    this.#ends.set(sessionId, end);
    return end;
  }
}
