import type { AgentChoices, KnownLimits, ModelFavourites, ProcessChoices } from "../../src/ports/agent-choices.ts";
import type { ApiTokenStore } from "../../src/ports/api-token-store.ts";
import type { BranchStore } from "../../src/ports/branch-store.ts";
import type { DelegationStore } from "../../src/ports/delegation-store.ts";
import type { DeviceStore } from "../../src/ports/device-store.ts";
import type { HookStore } from "../../src/ports/hook-store.ts";
import type { NoticeStore } from "../../src/ports/notice-store.ts";
import type { PeopleStore } from "../../src/ports/people-store.ts";
import type { PolicyStore } from "../../src/ports/policy-store.ts";
import type { ProjectStore } from "../../src/ports/project-store.ts";
import type { PushStore } from "../../src/ports/push-store.ts";
import type { ScheduleStore } from "../../src/ports/schedule-store.ts";
import type { SearchIndex } from "../../src/ports/search-index.ts";
import type { SessionLog } from "../../src/ports/session-log.ts";
import type { SnippetStore } from "../../src/ports/snippet-store.ts";
import type { Storage } from "../../src/ports/storage.ts";
import type { ToolChoices } from "../../src/ports/tool-choices.ts";
import type { TransferStore } from "../../src/ports/transfer-store.ts";
import type { UsageStore } from "../../src/ports/usage-store.ts";
import type { SessionId } from "../../src/protocol/ids.ts";
import type { SessionRow } from "../../src/protocol/session-schema.ts";
import { LogWriter } from "../core/log-writer.ts";
import { BINDING, NOW, PROJECT, SESSION, sessionRow } from "../core/names.ts";

/** Every store port, all on the same data. */
export interface Stores {
  readonly log: SessionLog;
  readonly policies: PolicyStore;
  readonly transfers: TransferStore;
  readonly projects: ProjectStore;
  readonly people: PeopleStore;
  readonly devices: DeviceStore;
  readonly delegations: DelegationStore;
  readonly notices: NoticeStore;
  readonly schedules: ScheduleStore;
  readonly snippets: SnippetStore;
  readonly usage: UsageStore;
  readonly search: SearchIndex;
  readonly choices: AgentChoices & ModelFavourites & ProcessChoices & KnownLimits;
  readonly toolChoices: ToolChoices;
  readonly apiTokens: ApiTokenStore;
  readonly hooks: HookStore;
  readonly pushes: PushStore;
  readonly branches: BranchStore;
  readonly storage: Storage;
}

/** An implementation of the ports with data of its own. Disposing it closes the stores and deletes the data. */
export interface OpenedStores extends AsyncDisposable {
  /** As opened last. */
  readonly stores: Stores;
  /** Closes the stores and opens the same data again: what was only in memory is gone. */
  reopen(): Promise<void>;
  /** Resolves when the store has done the work that it does in the background. */
  settle(): Promise<void>;
  /** From now on large writes fail; the returned function ends that. */
  block(): Promise<() => Promise<void>>;
}

/** Opens stores on fresh, empty data. */
export type OpenStores = () => Promise<OpenedStores>;

/** Fresh stores with one project and one session in it. */
export async function openScene(open: OpenStores) {
  const opened = await open();
  const { projects, log } = opened.stores;
  await projects.add({ id: PROJECT, path: "/work", name: "work", addedAt: NOW });
  await log.create(sessionRow(), BINDING, null);
  return new Scene(opened);
}

export class Scene implements AsyncDisposable {
  readonly #opened: OpenedStores;
  /** Writes to the session of the scene. */
  readonly writer: LogWriter;

  constructor(opened: OpenedStores) {
    this.#opened = opened;
    this.writer = new LogWriter(() => this.log, SESSION);
  }

  get stores(): Stores {
    return this.#opened.stores;
  }

  get log(): SessionLog {
    return this.stores.log;
  }

  /** One more session, with an agent session of its own. */
  async addSession(id: SessionId, extra: Partial<SessionRow> = {}): Promise<LogWriter> {
    await this.log.create({ ...sessionRow(id), ...extra }, { ...BINDING, agentSessionId: `agent of ${id}` }, null);
    return new LogWriter(() => this.log, id);
  }

  reopen(): Promise<void> {
    return this.#opened.reopen();
  }

  settle(): Promise<void> {
    return this.#opened.settle();
  }

  block(): Promise<() => Promise<void>> {
    return this.#opened.block();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened[Symbol.asyncDispose]();
  }
}
