import { Connection } from "../../../src/client/connection.ts";
import { SessionFeed } from "../../../src/client/session-feed.ts";
import type { SessionId } from "../../../src/protocol/ids.ts";
import { EMPTY_SESSION, type SessionState } from "../../../src/protocol/session-schema.ts";
import type { SeededRandom } from "../../support/seeded-random.ts";
import { FaultyWire } from "./faulty-wire.ts";
import type { TortureServer } from "./torture-server.ts";
import type { Witness } from "./witness.ts";

interface ReaderOptions {
  readonly name: string;
  readonly server: TortureServer;
  readonly witness: Witness;
  readonly random: SeededRandom;
  readonly onChange?: (sessionId: SessionId, state: SessionState) => void;
}

/** The product's own client behind a wire of its own; it follows sessions and never knows about faults. */
export class Reader {
  readonly name: string;
  readonly wire: FaultyWire;
  readonly connection: Connection;
  readonly #feeds = new Map<SessionId, SessionFeed>();
  readonly #onChange: NonNullable<ReaderOptions["onChange"]>;
  readonly refusals: string[] = [];

  private constructor(wire: FaultyWire, { name, server, witness, random, onChange }: ReaderOptions) {
    this.name = name;
    this.wire = wire;
    this.#onChange = onChange ?? (() => undefined);
    this.connection = new Connection({
      url: `ws://127.0.0.1:${wire.port}/ws`,
      world: {
        openSocket: (url) => new WebSocket(`${url}?token=${server.token}`),
        now: Date.now,
        after: (ms, call) => {
          const timer = setTimeout(call, ms);
          return () => clearTimeout(timer);
        },
        random: () => random.fraction(),
        newId: () => crypto.randomUUID(),
        probe: async () => (await fetch(`http://127.0.0.1:${server.port}/healthz`)).ok,
      },
      onMessage: (message) => witness.see(message),
    });
  }

  static async open(options: ReaderOptions): Promise<Reader> {
    return new Reader(await FaultyWire.open(() => options.server.port), options);
  }

  follow(sessionId: SessionId): void {
    const feed = new SessionFeed({
      connection: this.connection,
      sessionId,
      onChange: (state) => this.#onChange(sessionId, state),
      onRefused: ({ message }) => this.refusals.push(`${this.name}: ${sessionId}: ${message}`),
    });
    this.#feeds.set(sessionId, feed);
  }

  state(sessionId: SessionId): SessionState {
    return this.#feeds.get(sessionId)?.state ?? EMPTY_SESSION;
  }

  close(): void {
    this.connection.close();
    this.wire.close();
  }
}
