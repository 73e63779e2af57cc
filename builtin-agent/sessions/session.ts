import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { RequestId } from "../wire/connection.ts";
import { type ConfigValues, DEFAULT_CONFIG } from "./config-options.ts";
import { Memory } from "./memory.ts";
import type { GuardedKind, SessionRecord } from "./session-record.ts";
import type { SessionStore } from "./session-store.ts";
import type { ToolServer } from "./tool-server.ts";

/** What the methods need to know of a turn that runs. */
type RunningTurn = {
  readonly requestId: RequestId;
  readonly deaf: boolean;
  cancel(): void;
  steer(prompt: readonly ContentBlock[]): void;
};

/** A session that this process has open: its settings, what it may do unasked, and its running turn. */
export class Session {
  readonly id: string;
  readonly cwd: string;
  readonly #store: SessionStore;
  #config: ConfigValues = DEFAULT_CONFIG;
  readonly #allowed = new Set<GuardedKind>();
  turn: RunningTurn | undefined;
  /** What the client passed in last: addresses and tokens change with its restarts. */
  toolServers: readonly ToolServer[] = [];
  readonly memory: Memory;
  readonly #closed = Promise.withResolvers<void>();

  constructor(id: string, cwd: string, store: SessionStore, records: readonly SessionRecord[] = []) {
    this.id = id;
    this.cwd = cwd;
    this.#store = store;
    this.memory = new Memory(records, (record) => this.record(record));
    for (const record of records) {
      if (record.type === "config") this.#config = record.values;
      if (record.type === "allow") this.#allowed.add(record.kind);
    }
  }

  /** Resolves when the client has closed or deleted it. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  close(): void {
    this.turn?.cancel();
    this.#closed.resolve();
  }

  get config(): ConfigValues {
    return this.#config;
  }

  configure(values: ConfigValues): void {
    this.#config = values;
    this.record({ type: "config", values });
  }

  isAllowed(kind: GuardedKind): boolean {
    return this.#allowed.has(kind);
  }

  allowAlways(kind: GuardedKind): void {
    this.#allowed.add(kind);
    this.record({ type: "allow", kind });
  }

  record(...records: readonly SessionRecord[]): void {
    this.#store.append(this.id, records);
  }
}
