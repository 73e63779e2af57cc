import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { CliType, type ProjectId, type SessionId } from "../../src/protocol/ids.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench, BenchRun } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { cpuMs } from "../measure/process-cost.ts";
import { wallClockMs } from "../measure/wall-clock.ts";
import { FollowedSession } from "../scene/followed-session.ts";
import { type BenchClient, openClient } from "../scene/open-client.ts";
import { ROOT, startServer } from "../scene/start-server.ts";

const ROUNDS = 7;
const ROUNDS_QUICK = 2;
const SHORT_ENTRIES = 200;
const LONG_ENTRIES = 20_000;
const ENTRIES_PER_TURN = 1_000;
const SHORT_BEYOND_MS_MAX = 100;
const LONG_BEYOND_MS_MAX = 500;
const AGENT = CliType.parse("copying");
const COMMAND = [process.execPath, join(ROOT, "bench/programs/copying-agent.ts")] as const;

/** A branch whose agent copies its own memory, as Claude Code and Codex do. */
export const nativeBranch: Bench = {
  name: "native-branch",
  asks: "session:branch with the agent's own copy, beyond what the agent takes for it",
  async run(run) {
    await using dir = await tempDir();
    const [home, directory] = [dir.join("agent"), dir.join("project")];
    for (const folder of [home, directory]) await mkdir(folder, { recursive: true });
    const [command, ...args] = COMMAND;
    const agent = { name: "Copying agent", command, args, env: { COPYING_AGENT_HOME: home } };
    await using server = await startServer(dir.path, { [AGENT]: agent });
    using client = openClient(server);
    const { project } = await client.ask({ type: "project:add", path: directory }, "project:added");
    const short = { name: `${SHORT_ENTRIES} entries`, entries: SHORT_ENTRIES, target: SHORT_BEYOND_MS_MAX };
    const long = { name: "20,000 entries", entries: LONG_ENTRIES, target: LONG_BEYOND_MS_MAX };
    for (const { name, entries, target } of run.quick ? [short] : [short, long]) {
      const scene = { client, serverPid: server.pid, projectId: project.id, home, directory };
      const talk = await openTalk(scene, entries);
      await measureBranch(run, { talk, name, target });
    }
  },
};

interface Scene {
  readonly client: BenchClient;
  readonly serverPid: number;
  readonly projectId: ProjectId;
  /** Where the agent keeps its conversations. */
  readonly home: string;
  readonly directory: string;
}

interface Talk extends Scene {
  readonly sessionId: SessionId;
  readonly agentSessionId: string;
}

/** A conversation of so many entries, the user's messages among them. */
async function openTalk(scene: Scene, entries: number): Promise<Talk> {
  const { client, projectId, home } = scene;
  const before = new Set(await readdir(home));
  const { sessionId } = await client.ask({ type: "session:create", projectId, cliType: AGENT }, "session:created");
  using session = new FollowedSession(client, sessionId);
  const perTurn = Math.min(entries, ENTRIES_PER_TURN);
  let last: string | undefined;
  for (let said = 0; said < entries; said += perTurn) {
    await client.ask({ type: "session:send", sessionId, content: `${perTurn - 1} messages` }, "ok");
    await session.until(
      "the turn's end",
      ({ turn }) => turn.state === "idle" && turn.stopReason !== undefined && turn.turnId !== last,
    );
    last = session.state.turn.turnId;
  }
  const own = (await readdir(home)).find((name) => !before.has(name));
  if (own === undefined) throw new Error("the agent kept no conversation");
  return { ...scene, sessionId, agentSessionId: own };
}

interface BranchCase {
  readonly talk: Talk;
  readonly name: string;
  readonly target: number;
}

/** The baseline is the agent alone: started, asked for the copy, ended. */
async function measureBranch({ quick, report }: BenchRun, { talk, name, target }: BranchCase): Promise<void> {
  const { client, serverPid, sessionId, agentSessionId, directory, home } = talk;
  const worked: number[] = [];
  const branch = async () => {
    const [from, workedBefore] = [wallClockMs(), cpuMs(serverPid)];
    const { session } = await client.ask({ type: "session:branch", sessionId }, "session:created");
    if (session.origin?.how !== "native") throw new Error("the agent was told instead of asked for its copy");
    const tookMs = wallClockMs() - from;
    worked.push(cpuMs(serverPid) - workedBefore);
    return tookMs;
  };
  await branch();
  const n = quick ? ROUNDS_QUICK : ROUNDS;
  const made = await alternate(n, { bare: () => copyAlone(agentSessionId, directory, home), ours: branch });
  const [ours, baseline] = [median(made.ours), median(made.bare)];
  report({ metric: `a branch of ${name} with its agent's own copy`, unit: "ms", value: ours, baseline, n });
  report({ metric: `beyond that copy, of ${name}`, unit: "ms", value: ours - baseline, target, n });
  report({ metric: `CPU of the server for it, of ${name}`, unit: "ms", value: median(worked.slice(1)), n });
}

async function copyAlone(sessionId: string, cwd: string, home: string): Promise<number> {
  const from = wallClockMs();
  const agent = Bun.spawn([...COMMAND], {
    env: { PATH: process.env["PATH"] ?? "", COPYING_AGENT_HOME: home },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = linesOf(agent.stdout);
  const ask = async (id: number, method: string, params: object) => {
    agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    await agent.stdin.flush();
    const { value } = await lines.next();
    if (typeof value !== "string" || !value.includes('"result"')) throw new Error(`${method}: ${String(value)}`);
  };
  await ask(1, "initialize", { protocolVersion: 1 });
  await ask(2, "session/fork", { sessionId, cwd, mcpServers: [] });
  const tookMs = wallClockMs() - from;
  agent.kill("SIGKILL");
  await agent.exited;
  return tookMs;
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}
