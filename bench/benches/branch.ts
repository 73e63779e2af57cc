import { mkdir, writeFile } from "node:fs/promises";
import { z } from "zod";
import { SERVES_ALL } from "../../src/agents/catalog/agent-definition.ts";
import { startTicks } from "../../src/agents/process/process-ledger.ts";
import { LocalSessionWriters } from "../../src/agents/writers/local-session-writers.ts";
import { NO_AGENT_SESSION } from "../../src/ports/session-log.ts";
import { CliType, SessionId } from "../../src/protocol/ids.ts";
import { newSessionRow, stateFromRow } from "../../src/protocol/session-schema.ts";
import { ConversationPacks } from "../../src/sessions/handover/conversation-packs.ts";
import { SqliteBranchStore } from "../../src/store/sqlite-branch-store.ts";
import { HeldConversation } from "../../tests/support/held-conversation.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench, BenchRun } from "../measure/bench.ts";
import { median, percentile } from "../measure/percentile.ts";
import { SEED_TIME } from "../scene/next-commit.ts";
import { RawReader } from "../scene/raw-reader.ts";
import { SeedStore } from "../scene/seed-store.ts";
import { type SeededSession, seedTranscript } from "../scene/seed-transcript.ts";
import { startServer } from "../scene/start-server.ts";

const ROUNDS = 7;
const ROUNDS_QUICK = 2;
const SHORT_ENTRIES = 200;
const LONG_ENTRIES = 20_000;
const SHORT_MS_MAX = 150;
const LONG_MS_MAX = 500;
const HELD_LOOP_MS_MAX = 10;
const PACK_CPU_MS_MAX = 20;
const PACK_ENTRIES_READ = 400;
/** Only the long session has so many. */
const SEARCHED_TURN = 4_321;
const Found = z.object({ hits: z.array(z.object({ kind: z.string() })) });
const WRITER_MS_MAX = 2;
const WRITER_LOOKS = 200;
const WRITER_LOOKS_QUICK = 20;
const THREAD = "01a1ed55-772e-7691-ab53-92820cad3671";
const CODEX = CliType.parse("codex");
const CLAUDE = CliType.parse("claude-code");
const BUILTIN = CliType.parse("builtin");
const US_PER_MS = 1_000;

/** Section by section: a branch over the socket, its copy and its pack in this process, and who has a conversation open. */
export const branch: Bench = {
  name: "branch",
  asks: "session:branch at 200 and 20,000 entries, the copy's longest step, the pack, and the look for writers",
  async run(run) {
    await using dir = await tempDir();
    const sources = seed(dir.path);
    await measureRequests(run, dir.path, sources);
    await measureStore(run, dir.path, sources.long);
    await measureWriters(run);
  },
};

interface Sources {
  readonly short: SeededSession;
  readonly long: SeededSession;
}

function seed(dataDir: string): Sources {
  using store = SeedStore.of(dataDir);
  store.addProject(dataDir);
  return {
    short: seedTranscript(store, "short", dataDir, SHORT_ENTRIES),
    long: seedTranscript(store, "long", dataDir, LONG_ENTRIES),
  };
}

/** The baseline is an empty session of the same agent: the cost of any new session. */
async function measureRequests({ quick, report }: BenchRun, dataDir: string, sources: Sources): Promise<void> {
  await using server = await startServer(dataDir);
  using reader = await RawReader.open(server.socketUrl);
  let asked = 0;
  const ask = async (message: object) => {
    asked += 1;
    const requestId = `bench-${asked}`;
    const { frame, tookMs } = await reader.exchange(JSON.stringify({ ...message, requestId }), `"${requestId}"`);
    if (!frame.includes('"session:created"')) throw new Error(frame);
    return tookMs;
  };
  const create = () => ask({ type: "session:create", projectId: "seed", cliType: BUILTIN });
  await create();
  // The agent is started once to find out whether it copies its own memory.
  await ask({ type: "session:branch", sessionId: sources.short.id });
  const n = quick ? ROUNDS_QUICK : ROUNDS;
  for (const [name, source, target] of [
    [`${SHORT_ENTRIES} entries`, sources.short, SHORT_MS_MAX],
    ["20,000 entries", sources.long, LONG_MS_MAX],
  ] as const) {
    const made = await alternate(n, {
      bare: create,
      ours: () => ask({ type: "session:branch", sessionId: source.id }),
    });
    const [value, baseline] = [median(made.ours), median(made.bare)];
    report({ metric: `a branch of ${name} that is told`, unit: "ms", value, baseline, target, n });
  }
  // For an entry that the source and all these branches have.
  const { frame } = await reader.exchange(
    JSON.stringify({ type: "search", query: `Question ${SEARCHED_TURN}`, requestId: "searched" }),
    '"searched"',
  );
  const { hits } = Found.parse(JSON.parse(frame));
  const value = hits.filter(({ kind }) => kind === "user").length;
  report({ metric: "hits of an entry that branches have, too", unit: "count", value, target: 1, n: 1 });
}

/** The copy and the pack of the long session, without a server around them. */
async function measureStore({ quick, report }: BenchRun, dataDir: string, source: SeededSession): Promise<void> {
  using store = SeedStore.of(dataDir);
  const branches = new SqliteBranchStore(store.db, store.log);
  const until = await branches.lastPosition(source.id);
  const n = quick ? ROUNDS_QUICK : ROUNDS;
  const copied = await alternate(n, {
    bare: (round) => cpuMs(async () => copyAtOnce(store, `bare-${round}`, source.id, dataDir)),
    ours: (round) => cpuMs(() => branches.create(newBranch(`copy-${round}`, source.id, until, dataDir))),
  });
  const held: number[] = [];
  for (let round = 0; round < n; round += 1) {
    const loop = new LoopWatch();
    await branches.create(newBranch(`watched-${round}`, source.id, until, dataDir));
    held.push(loop.end());
  }
  const all = { value: median(copied.ours), baseline: median(copied.bare) };
  report({ metric: "CPU of copying 20,000 entries in steps", unit: "ms", ...all, n });
  const step = median(held);
  report({ metric: "CPU of the longest step of it", unit: "ms", value: step, target: HELD_LOOP_MS_MAX, n });

  const packs = new ConversationPacks({ store: branches, log: store.log, agents: { find: () => null } });
  const asked = { sessionId: source.id, until, reader: source.id, cliType: BUILTIN };
  await packs.make(asked);
  const cpu = await alternate(n, {
    bare: () => cpuMs(() => branches.entriesUpTo(source.id, until, PACK_ENTRIES_READ)),
    ours: () => cpuMs(() => packs.make(asked)),
  });
  const [value, baseline] = [median(cpu.ours), median(cpu.bare)];
  report({ metric: "CPU of the pack of 20,000 entries", unit: "ms", value, baseline, target: PACK_CPU_MS_MAX, n });
}

function newBranch(name: string, source: SessionId, until: number, cwd: string) {
  const row = newSessionRow({
    ...{
      id: SessionId.parse(`${BUILTIN}:${name}`),
      projectId: "seed" as never,
      cliType: BUILTIN,
      createdAt: SEED_TIME,
    },
    ...{ title: name, origin: { kind: "branch", sessionId: source, how: "primed" } },
  });
  const binding = {
    agentSessionId: NO_AGENT_SESSION,
    createdAt: SEED_TIME,
    cwd,
    state: "idle",
    since: SEED_TIME,
  } as const;
  return { row, binding, state: stateFromRow(row), source, until, pack: null, receipt: null, agentSeenAt: null };
}

/** The minimum of a copy: all rows in one statement, while everything else waits. */
function copyAtOnce(store: SeedStore, name: string, source: SessionId, cwd: string): void {
  const id = store.createSession(name, cwd);
  store.db
    .prepare(
      `INSERT INTO entry (session_key, position, entry_id, agent_id, json)
       SELECT (SELECT key FROM session WHERE id = ?), position, entry_id, NULL, json FROM entry
       WHERE session_key = (SELECT key FROM session WHERE id = ?)`,
    )
    .run(id, source);
}

/** The longest time this process worked while others waited; another program's load does not count. */
class LoopWatch {
  #longestCpuMs = 0;
  #isOver = false;
  #before = process.cpuUsage();

  constructor() {
    const look = () => {
      this.#look();
      if (!this.#isOver) setImmediate(look);
    };
    setImmediate(look);
  }

  #look(): void {
    const { user, system } = process.cpuUsage(this.#before);
    this.#before = process.cpuUsage();
    this.#longestCpuMs = Math.max(this.#longestCpuMs, (user + system) / US_PER_MS);
  }

  /** With the step that has just ended. */
  end(): number {
    this.#isOver = true;
    this.#look();
    return this.#longestCpuMs;
  }
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / US_PER_MS;
}

/** For a conversation that a program has open, as the first and the second agent report it. */
async function measureWriters({ quick, report }: BenchRun): Promise<void> {
  await using dir = await tempDir();
  await using held = await HeldConversation.start(dir.join(`thread-writer-locks/${THREAD}.lock`));
  const entry = {
    pid: held.pid,
    sessionId: THREAD,
    procStart: startTicks(held.pid),
    entrypoint: "cli",
    status: "busy",
  };
  await mkdir(dir.join("sessions"), { recursive: true });
  await writeFile(dir.join(`sessions/${held.pid}.json`), JSON.stringify(entry));
  const env = { CLAUDE_CONFIG_DIR: dir.path, CODEX_HOME: dir.path };
  const definitions = [CLAUDE, CODEX].map((id) => ({
    ...{ id, name: id, command: ["agent"], env, process: "shared", retryDelaysMs: [], serves: SERVES_ALL },
  }));
  const writers = new LocalSessionWriters({
    catalog: { definitions: () => definitions as never },
    world: { now: () => Date.now(), newId: () => "" },
    env,
    owner: "bench",
  });
  const n = quick ? WRITER_LOOKS_QUICK : WRITER_LOOKS;
  for (const [name, cliType] of [
    ["Claude Code", CLAUDE],
    ["Codex", CODEX],
  ] as const) {
    const conversation = { cliType, agentSessionId: THREAD, cwd: dir.path };
    const tookMs = Array.from({ length: n }, () => {
      const from = performance.now();
      const { state } = writers.writerOf(conversation, null);
      if (state !== "held") throw new Error(`${name}: ${state}`);
      return performance.now() - from;
    });
    const value = percentile(tookMs, 0.95);
    report({ metric: `who has a conversation of ${name} open, p95`, unit: "ms", value, target: WRITER_MS_MAX, n });
  }
}
