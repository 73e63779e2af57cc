import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { RequestId } from "../wire/connection.ts";
import { type ConfigValues, DEFAULT_CONFIG } from "./config-options.ts";
import { Memory } from "./memory.ts";
import type { GuardedKind, SessionRecord } from "./session-record.ts";
import type { SessionStore } from "./session-store.ts";
import type { ToolServer } from "./tool-server.ts";

/** The part of a running turn that the methods need. */
type RunningTurn = {
  readonly requestId: RequestId;
  readonly deaf: boolean;
  cancel(): void;
  steer(prompt: readonly ContentBlock[]): void;
};

/** A command that runs beside the turns of its session. */
export type BackgroundCommand = {
  readonly command: string;
  /** Undefined while it runs. */
  end: { readonly exitCode: number | null; readonly signal: string | null } | undefined;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  output(): string;
  stop(): void;
};

/** A session that this process has open: its settings, its permissions, and its running turn. */
export class Session {
  readonly id: string;
  readonly cwd: string;
  readonly #store: SessionStore;
  #config: ConfigValues = DEFAULT_CONFIG;
  readonly #allowed = new Set<GuardedKind>();
  turn: RunningTurn | undefined;
  /** The client's last list: addresses and tokens change with its restarts. */
  toolServers: readonly ToolServer[] = [];
  /** Whether the last list of commands sent to the client was for an agent with a model. */
  isForModel = false;
  readonly memory: Memory;
  /** Commands that run beside its turns, by the id that the model uses for them. */
  readonly background = new Map<string, BackgroundCommand>();
  /** What it has cost, as far as prices are known. */
  cost = 0;
  readonly #closed = Promise.withResolvers<void>();

  constructor(id: string, cwd: string, store: SessionStore, records: readonly SessionRecord[] = []) {
    this.id = id;
    this.cwd = cwd;
    this.#store = store;
    this.memory = new Memory(records, (record) => this.record(record));
    for (const record of records) {
      if (record.type === "config") this.#config = record.values;
      if (record.type === "allow") this.#allowed.add(record.kind);
      if (record.type === "cost") this.cost = record.amount;
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

  spend(amount: number): void {
    this.cost += amount;
    this.record({ type: "cost", amount: this.cost });
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
