import type { ServerWebSocket } from "bun";
import { type ClientWorld, Connection, type ConnectionPhase } from "../../src/client/connection.ts";
import type { ClientMessage } from "../../src/protocol/client-messages.ts";
import { SessionId } from "../../src/protocol/ids.ts";
import type { ServerMessage } from "../../src/protocol/server-messages.ts";
import type { SessionHistory } from "../../src/protocol/session-messages.ts";
import { EMPTY_SESSION, sessionFieldsOf } from "../../src/protocol/session-schema.ts";

/** Values that arrive in order, each taken once, by the next waiting caller. */
class Arrivals<Value> {
  readonly #arrived: Value[] = [];
  readonly #waiting: ((value: Value) => void)[] = [];

  push(value: Value): void {
    const next = this.#waiting.shift();
    if (next) next(value);
    else this.#arrived.push(value);
  }

  next(): Promise<Value> {
    const value = this.#arrived.shift();
    return value === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(value);
  }

  get waiting(): number {
    return this.#arrived.length;
  }
}

type Sent = ClientMessage & { readonly requestId?: string | undefined };

/** A real socket server that sends only what the test tells it to. */
export class ScriptedServer implements AsyncDisposable {
  readonly frames = new Arrivals<Sent>();
  readonly sockets = new Arrivals<ServerWebSocket<undefined>>();
  greets = true;
  #server: Bun.Server<undefined> | null = null;
  #port = 0;

  start(): this {
    this.#server = Bun.serve({
      port: this.#port,
      hostname: "127.0.0.1",
      fetch: (request, server) =>
        server.upgrade(request) ? undefined : new Response("not a socket request", { status: 400 }),
      websocket: {
        open: (socket) => {
          if (this.greets) say(socket, { type: "hello", version: "0", protocol: 1, projects: [], agents: [] });
          this.sockets.push(socket);
        },
        message: (_socket, text) => this.frames.push(JSON.parse(String(text))),
      },
    });
    this.#port = this.#server.port ?? 0;
    return this;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    await this.#server?.stop(true);
    this.#server = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

export function say(socket: ServerWebSocket<undefined>, message: ServerMessage | { readonly type: string }): void {
  socket.send(JSON.stringify(message));
}

interface Timer {
  readonly ms: number;
  readonly call: () => void;
}

/** The clock does not move until the test fires a timer. */
export class StillClock {
  readonly #timers = new Set<Timer>();
  #ids = 0;

  world(url: Partial<ClientWorld> = {}): ClientWorld {
    return {
      openSocket: (address) => new WebSocket(address),
      now: () => 0,
      after: (ms, call) => {
        const timer = { ms, call };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
      random: () => 0,
      newId: () => {
        this.#ids += 1;
        return `command-${this.#ids}`;
      },
      ...url,
    };
  }

  /** The waiting times, shortest first. */
  get set(): readonly number[] {
    return [...this.#timers].map(({ ms }) => ms).sort((a, b) => a - b);
  }

  /** Rings the one timer set for this time. */
  ring(ms: number): void {
    const timer = [...this.#timers].find((each) => each.ms === ms);
    if (timer === undefined) throw new Error(`no timer of ${ms} ms is set; set: ${this.set.join(", ")}`);
    this.#timers.delete(timer);
    timer.call();
  }
}

/** A client of the scripted server, and what it reports to its owner. */
export function connectTo(server: ScriptedServer, clock: StillClock, world: Partial<ClientWorld> = {}) {
  const phases = new Arrivals<ConnectionPhase>();
  const messages: ServerMessage[] = [];
  const connection = new Connection({
    url: server.url,
    world: clock.world(world),
    onPhase: (phase) => phases.push(phase),
    onMessage: (message) => messages.push(message),
  });
  /** Reads on until the phase is reached. */
  const reached = async (wanted: ConnectionPhase["phase"]): Promise<ConnectionPhase> => {
    const phase = await phases.next();
    return phase.phase === wanted ? phase : reached(wanted);
  };
  return { connection, messages, reached };
}

export const SESSION = SessionId.parse("builtin:one");

export function history(seq: number, requestId: string | undefined, title = "New Session"): SessionHistory {
  return {
    type: "session:history",
    ...sessionFieldsOf(EMPTY_SESSION),
    requestId,
    sessionId: SESSION,
    seq,
    entries: [],
    hasMore: false,
    title,
  };
}

export function titled(seq: number, title: string): ServerMessage {
  return { type: "session:title-updated", sessionId: SESSION, seq, title, source: "derived" };
}
