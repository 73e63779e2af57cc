import { z } from "zod/mini";
import { ignore } from "../lib/ignore.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import { FACT_TYPES } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import { FactMessage, PLAIN_TYPES, PlainServerMessage, type ServerMessage } from "../protocol/server-messages.ts";
import { readTerminalFrame, type TerminalOutputFrame } from "../protocol/terminal-frames.ts";
import { FollowedSessions, type FollowListener } from "./followed-sessions.ts";
import { type ClientRequest, ConnectionClosedError, PendingRequests } from "./pending-requests.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const PROBE_EVERY_MS = 1_000;
/**
 * After this long without a message the server is pinged, and after the same time again it counts as silent: 9 s at
 * most.
 */
const HEARTBEAT_MS = 3_000;

export type ConnectionPhase =
  | { readonly phase: "connecting"; readonly failedTries: number }
  | { readonly phase: "open" }
  | { readonly phase: "waiting-to-retry"; readonly failedTries: number; readonly retryAt: number }
  | { readonly phase: "closed" };

interface ConnectionOptions {
  readonly url: string;
  readonly world: ClientWorld;
  readonly onPhase?: (phase: ConnectionPhase) => void;
  /** The socket is open and the server does not answer (true), or answers again (false); without it there are no pings. */
  readonly onSilence?: (isSilent: boolean) => void;
  /** Receives every message, answers included, in wire order. */
  readonly onMessage?: (message: ServerMessage) => void;
  /** Receives the output of terminals that were attached with `output: "binary"`. */
  readonly onTerminalOutput?: (output: TerminalOutputFrame) => void;
}

/**
 * One connection to the server for the lifetime of the client. A lost socket is replaced, followed sessions resume from
 * their last fact, and unanswered requests are repeated under the same command id, so that they run once.
 */
export class Connection implements Disposable {
  readonly #options: ConnectionOptions;
  readonly #pending: PendingRequests;
  readonly #followed: FollowedSessions;
  #phase: ConnectionPhase = { phase: "connecting", failedTries: 0 };
  #socket: ClientSocket | null = null;
  /** Since the last message of the server. A socket that opens and closes without one is a failed try, too. */
  #failedTries = 0;
  #hasReceived = false;
  #hasReceivedSinceBeat = false;
  #isSilent = false;
  /** Cancels the timers of the current phase. */
  #cancelTimers: () => void = ignore("no timer is set before the first attempt");
  #skipped = { unknown: 0, invalid: 0 };

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#pending = new PendingRequests(options.world.newId);
    this.#followed = new FollowedSessions(() => this.#pending.newRequestId());
    this.#connect();
  }

  get phase(): ConnectionPhase {
    return this.#phase;
  }

  /** Frames that could not be read: of an unknown type, or malformed. */
  get skipped(): { readonly unknown: number; readonly invalid: number } {
    return this.#skipped;
  }

  /** Retries at once if a retry is pending: the page became visible, or the machine came online. */
  wake(): void {
    if (this.#phase.phase === "waiting-to-retry") this.#connect();
  }

  /** Settles with the answer; a refusal rejects with its code. Waits across any number of lost sockets. */
  request(request: ClientRequest): Promise<ServerMessage> {
    if (this.#phase.phase === "closed") return Promise.reject(new ConnectionClosedError("The connection is closed."));
    const { message, answer } = this.#pending.add(request);
    if (this.#phase.phase === "open") this.#send(message);
    return answer;
  }

  /**
   * Receives a session from its newest `limit` entries on, across any number of sockets, until the returned function is
   * called.
   */
  follow(sessionId: SessionId, listener: FollowListener, limit?: number): () => void {
    this.#followed.add(sessionId, listener, limit);
    if (this.#phase.phase === "open") this.#send(this.#followed.openRequest(sessionId));
    let following = true;
    return () => {
      if (!following) return;
      following = false;
      this.#followed.remove(sessionId);
      if (this.#phase.phase === "open") this.#send({ type: "session:close", sessionId });
    };
  }

  /** Closes the connection for good; unanswered requests are rejected. */
  close(): void {
    this.#enter({ phase: "closed" });
    this.#dropSocket();
    this.#pending.rejectAll();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #connect(): void {
    this.#enter({ phase: "connecting", failedTries: this.#failedTries });
    const { url, world } = this.#options;
    const socket = world.openSocket(url);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#cancelTimers = world.after(CONNECT_TIMEOUT_MS, () => this.#lost(socket));
    socket.addEventListener("open", () => this.#opened(socket));
    socket.addEventListener("message", (event) => this.#received(socket, event.data));
    socket.addEventListener("close", () => this.#lost(socket));
    socket.addEventListener("error", () => this.#lost(socket));
  }

  #opened(socket: ClientSocket): void {
    if (socket !== this.#socket) return;
    this.#enter({ phase: "open" });
    for (const sessionId of this.#followed.ids()) this.#send(this.#followed.openRequest(sessionId));
    for (const message of this.#pending.unanswered()) this.#send(message);
    this.#hasReceivedSinceBeat = true;
    if (this.#options.onSilence) this.#beat(false);
  }

  /** A hung server keeps its sockets open: only a missing answer reveals it. */
  #beat(wasAsked: boolean): void {
    this.#cancelTimers = this.#options.world.after(HEARTBEAT_MS, () => {
      const isSilent = !this.#hasReceivedSinceBeat;
      this.#hasReceivedSinceBeat = false;
      if (isSilent && wasAsked) this.#setSilent(true);
      if (isSilent && !wasAsked) this.#send({ type: "ping", requestId: this.#pending.newRequestId() });
      this.#beat(isSilent);
    });
  }

  #setSilent(isSilent: boolean): void {
    if (this.#isSilent === isSilent) return;
    this.#isSilent = isSilent;
    this.#options.onSilence?.(isSilent);
  }

  #received(socket: ClientSocket, data: unknown): void {
    if (socket !== this.#socket) return;
    this.#failedTries = 0;
    this.#hasReceived = true;
    this.#hasReceivedSinceBeat = true;
    this.#setSilent(false);
    const output = data instanceof ArrayBuffer ? readTerminalFrame(data) : null;
    if (output) {
      this.#options.onTerminalOutput?.(output);
      return;
    }
    const frame = parseServerMessage(data);
    switch (frame.kind) {
      case "message":
        this.#options.onMessage?.(frame.message);
        this.#followed.dispatch(frame.message);
        this.#pending.settle(frame.message);
        return;
      case "unknown":
        this.#skipped = { ...this.#skipped, unknown: this.#skipped.unknown + 1 };
        return;
      case "invalid":
        this.#skipped = { ...this.#skipped, invalid: this.#skipped.invalid + 1 };
        return;
      default:
        frame satisfies never;
    }
  }

  #lost(socket: ClientSocket): void {
    if (socket !== this.#socket) return;
    this.#dropSocket();
    if (this.#hasReceived) {
      this.#hasReceived = false;
      this.#connect(); // the first try after a loss is immediate; only failed tries wait
    } else {
      this.#failedTries += 1;
      this.#waitToRetry();
    }
  }

  #waitToRetry(): void {
    const { world } = this.#options;
    const failedTries = this.#failedTries;
    const waitMs = retryDelayMs(failedTries, world.random);
    this.#enter({ phase: "waiting-to-retry", failedTries, retryAt: world.now() + waitMs });
    const cancelRetry = world.after(waitMs, () => this.#connect());
    let cancelProbe = this.#scheduleProbe((cancel) => {
      cancelProbe = cancel;
    });
    this.#cancelTimers = () => {
      cancelRetry();
      cancelProbe();
    };
  }

  /** A cheap probe brings the next try forward: a server that is back is in sync within 2 s. */
  #scheduleProbe(onNext: (cancel: () => void) => void): () => void {
    const { probe, after } = this.#options.world;
    if (probe === undefined) return ignore("without a probe only the schedule decides");
    const waiting = this.#phase;
    return after(PROBE_EVERY_MS, () => {
      const answered = (there: boolean) => {
        if (this.#phase !== waiting) return;
        if (there) this.wake();
        else onNext(this.#scheduleProbe(onNext));
      };
      probe().then(answered, () => answered(false));
    });
  }

  #send(message: ClientMessage): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #dropSocket(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #enter(phase: ConnectionPhase): void {
    this.#cancelTimers();
    this.#cancelTimers = ignore("this phase has set no timer yet");
    this.#phase = phase;
    this.#setSilent(false);
    this.#options.onPhase?.(phase);
  }
}

const Envelope = z.looseObject({ type: z.string() });
const facts: ReadonlySet<string> = new Set(FACT_TYPES);
const plain: ReadonlySet<string> = new Set(PLAIN_TYPES);

/** A parsed frame. A newer server's message is not an error: it is skipped and counted. */
type ParsedFrame =
  | { readonly kind: "message"; readonly message: ServerMessage }
  | { readonly kind: "unknown"; readonly type: string }
  | { readonly kind: "invalid" };

/** The only place where server data becomes a typed message. */
export function parseServerMessage(data: unknown): ParsedFrame {
  const envelope = Envelope.safeParse(parseJson(data));
  if (!envelope.success) return { kind: "invalid" };
  const { type } = envelope.data;
  // Some types exist for sessions and for agents: only a fact has a position in a log.
  const isFact = facts.has(type) && ("seq" in envelope.data || !plain.has(type));
  if (isFact) return understood(() => FactMessage.safeParse(envelope.data));
  if (plain.has(type)) return understood(() => PlainServerMessage.safeParse(envelope.data));
  return { kind: "unknown", type };
}

function understood(parse: () => z.core.util.SafeParseResult<ServerMessage>): ParsedFrame {
  try {
    const result = parse();
    return result.success ? { kind: "message", message: result.data } : { kind: "invalid" };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "invalid" }; // nested deeper than the stack allows
    throw error;
  }
}

function parseJson(data: unknown): unknown {
  if (typeof data !== "string") return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined; // not JSON: the caller counts it as invalid
  }
}

const RETRY_STEPS_MS = [500, 1_000, 2_000, 4_000, 5_000] as const;
const LAST_STEP_MS = 5_000;
/** A delay is randomly shortened by up to this share, so that many pages do not reconnect at the same instant. */
const JITTER_SHARE = 0.25;

/** The delay after the given number of failed tries, starting at 1; it never gives up. */
function retryDelayMs(failedTries: number, random: () => number): number {
  const step = RETRY_STEPS_MS[failedTries - 1] ?? LAST_STEP_MS;
  return Math.round(step * (1 - JITTER_SHARE * random()));
}

/** The part of a WebSocket that is used: the browser's and Bun's both match. */
export interface ClientSocket {
  binaryType: string;
  addEventListener(type: "open" | "close" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  send(text: string): void;
  close(): void;
}

/** What a client needs from outside, passed in so that it runs in a page, in a terminal and in a test. */
export interface ClientWorld {
  readonly openSocket: (url: string) => ClientSocket;
  readonly now: () => number;
  /** Calls once after a delay; the returned function cancels it. */
  readonly after: (ms: number, call: () => void) => () => void;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly newId: () => string;
  /** Checks, more cheaply than with a socket, whether the server is reachable; without it only the schedule decides. */
  readonly probe?: () => Promise<boolean>;
}
