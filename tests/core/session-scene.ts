import { LocalSessionWriters } from "../../src/agents/writers/local-session-writers.ts";
import { AbsenceWatch } from "../../src/lib/absence-watch.ts";
import type { AgentHistories } from "../../src/ports/agent-history.ts";
import type { SessionWriters } from "../../src/ports/session-writers.ts";
import type { World } from "../../src/ports/world.ts";
import type { SessionCommand } from "../../src/protocol/client-messages.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { REFUSE, RefusalError } from "../../src/protocol/errors.ts";
import type { Fact } from "../../src/protocol/facts.ts";
import { entriesOf, foldMessage } from "../../src/protocol/fold-message.ts";
import type { SessionId } from "../../src/protocol/ids.ts";
import { PAGE_ENTRIES_MAX } from "../../src/protocol/limits.ts";
import type { PlainServerMessage } from "../../src/protocol/server-messages.ts";
import type { SessionHistory } from "../../src/protocol/session-messages.ts";
import { EMPTY_SESSION, type SessionState } from "../../src/protocol/session-schema.ts";
import type { Answer } from "../../src/sessions/answer.ts";
import { Delegations, TREE_LIMITS } from "../../src/sessions/delegation/delegations.ts";
import { PolicyService } from "../../src/sessions/policy/policy-service.ts";
import { SessionService } from "../../src/sessions/session-service.ts";
import { DiskRealPaths } from "../../src/workspace/real-paths.ts";
import { LocalWorkdirs } from "../../src/workspace/workdirs.ts";
import { countingWorld } from "./counting-world.ts";
import { BUILTIN, PROJECT } from "./names.ts";
import { openStore, type TestStore } from "./open-store.ts";
import { PuppetAgents } from "./puppet-agents.ts";

type WithoutSession<Each> = Each extends SessionCommand ? Omit<Each, "sessionId"> : never;

/** The real domain on a real disk, with a puppet for an agent. */
export interface SessionScene extends AsyncDisposable {
  readonly world: World;
  readonly store: TestStore;
  readonly agents: PuppetAgents;
  readonly service: SessionService;
  readonly sessionId: SessionId;
  /** Every fact, in the order in which it was committed. */
  readonly facts: Fact[];
  readonly published: PlainServerMessage[];
  readonly errors: unknown[];
  send(command: WithoutSession<SessionCommand>): Promise<Answer>;
  say(content: string): Promise<void>;
  /** What a reader that opens the session now is given. */
  history(limit?: number): Promise<SessionHistory>;
  state(): Promise<SessionState>;
  entries(): Promise<readonly Entry[]>;
  /** The server is gone without a word; another one starts on the same disk. */
  restart(): void;
}

/** What other programs do with the agent's conversations. */
interface Elsewhere {
  readonly writers: SessionWriters;
  readonly histories: AgentHistories;
}

/** `onCommitted`: called after each commit, as parts of the server are that follow facts. */
export async function openSession(
  onCommitted: (sessionId: SessionId, facts: readonly Fact[]) => void = () => undefined,
  elsewhere: Partial<Elsewhere> = {},
): Promise<SessionScene> {
  const store = await openStore();
  const agents = new PuppetAgents();
  const world = countingWorld();
  const facts: Fact[] = [];
  const published: PlainServerMessage[] = [];
  const errors: unknown[] = [];
  const serve = () =>
    new SessionService({
      world,
      log: store.log,
      storage: store.storage,
      search: store.search,
      projects: store.projects,
      agents,
      policy: new PolicyService({
        ...{ world, log: store.log, projects: store.projects, store: store.policies },
        paths: new DiskRealPaths(),
        startingMode: () => null,
        hasOwnTools: () => true,
        guarded: [],
      }),
      choices: store.choices,
      writers: new LocalSessionWriters({ catalog: { definitions: () => [] }, world, env: {}, owner: "" }),
      histories: { openHistory: () => Promise.reject(new Error("puppets have no histories")) },
      ...elsewhere,
      branches: store.branches,
      workdirs: new LocalWorkdirs({
        world,
        root: "",
        isOn: false,
        vaultBytesMax: 0,
        editor: { command: null, env: {} },
        env: {},
        onError: (error) => errors.push(error),
      }),
      worktrees: {
        create: () => Promise.reject(new RefusalError(REFUSE.worktreeNotFound())),
        find: async () => null,
        madeFor: async () => null,
        giveBack: async () => undefined,
        used: () => undefined,
      },
      onWorktreeMade: () => undefined,
      directoryFor: (projectPath) => projectPath,
      delegations: new Delegations({ store: store.delegations, limits: TREE_LIMITS, keepChildren: false }),
      stallMs: 1_000_000,
      limitsResume: "ask",
      absence: new AbsenceWatch(1_000_000),
      isWatched: () => true,
      onCommitted: (id, committed) => {
        facts.push(...committed);
        onCommitted(id, committed);
      },
      publish: (message) => published.push(message),
      onError: (error) => errors.push(error),
    });
  let service = serve();
  const created = await service.create({ type: "session:create", projectId: PROJECT, cliType: BUILTIN });
  if (created.kind !== "message" || created.message.type !== "session:created") throw new Error("no session was made");
  const { sessionId } = created.message;
  const history = async (limit = PAGE_ENTRIES_MAX) => {
    const start = await service.open(sessionId, undefined, limit);
    if (start?.type !== "session:history") throw new Error("a reader without a cursor gets a history");
    return start;
  };
  const state = async () => foldMessage(EMPTY_SESSION, await history());
  const send = (command: WithoutSession<SessionCommand>) => service.execute({ ...command, sessionId });
  return {
    ...{ world, store, agents, sessionId, facts, published, errors, send, history, state },
    get service() {
      return service;
    },
    entries: async () => entriesOf(await state()),
    async say(content) {
      await send({ type: "session:send", content });
    },
    restart() {
      store.reopen();
      service = serve();
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
