import { existsSync } from "node:fs";
import { AGENT_PACKAGES, agentCache, agentFolder, CACHE_VARIABLE } from "../../scripts/agents/agent-packages.ts";
import { outline } from "../../tests/agents/outline.ts";
import type { Bench } from "../measure/bench.ts";
import { percentile } from "../measure/percentile.ts";

const TURNS = 10;
const TURNS_QUICK = 2;
const SLOWEST = 0.95;
/** Of the time to look (2 s) and to read the conversation, with a process that is there already. */
const SHOWN_MS_MAX = 4_000;

/** CV-4: a page follows a conversation that a terminal has open. */
export const follow: Bench = {
  name: "follow",
  asks: "from the end of a turn in a terminal to its words at a client that follows; with the real Claude Code",
  async run({ quick, report }) {
    const cache = agentCache(process.env);
    const claude = AGENT_PACKAGES.find(({ name }) => name === "claude");
    if (claude === undefined || !existsSync(agentFolder(cache, claude))) {
      process.stderr.write(
        "follow: Claude Code is not there. Run npm run test:agents once; it installs the adapter.\n",
      );
      return;
    }
    // Read when the module is loaded.
    process.env[CACHE_VARIABLE] = cache;
    const { REAL_AGENTS } = await import("../../tests/agents/real-agents.ts");
    const { openAgentScene } = await import("../../tests/agents/agent-scene.ts");
    const { PlainAcpRun } = await import("../../tests/agents/plain-acp-run.ts");
    const agent = REAL_AGENTS.find(({ name }) => name === "claude");
    if (agent === undefined) throw new Error("Claude Code is needed");

    await using scene = await openAgentScene(agent);
    const { client, env } = scene;
    const talk = await scene.newSession();
    const { sessionId } = talk;
    await talk.run("say: Here.");
    const startedMs = performance.now();
    await using terminal = await PlainAcpRun.start(agent, env, talk.directory, "listed");
    const openingMs = performance.now() - startedMs;
    await terminal.prompt("say: In the terminal.");
    await client.ask("ok", { type: "session:seen", sessionId, seq: talk.state.seq, showing: true });
    await client.untilState(sessionId, "the other program", ({ away }) => away?.writer !== undefined);
    await client.ask("ok", { type: "session:elsewhere", sessionId, follow: true });
    const untilShown = (turns: number) =>
      client.untilState(sessionId, `turn ${turns}`, () => outline(talk.entries).length >= turns * 2);
    await untilShown(2);
    const shown: number[] = [];
    for (let turn = 0; turn < (quick ? TURNS_QUICK : TURNS); turn += 1) {
      await terminal.prompt(`say: Turn ${turn}.`);
      const endedMs = performance.now();
      await untilShown(turn + 3);
      shown.push(performance.now() - endedMs);
    }
    report({
      ...{ metric: "a turn in a terminal, from its end to a client that follows, p50", unit: "ms" },
      ...{ value: percentile(shown, 0.5), baseline: openingMs, n: shown.length },
    });
    report({
      ...{ metric: "the same, p95", unit: "ms", value: percentile(shown, SLOWEST) },
      ...{ target: SHOWN_MS_MAX, n: shown.length },
    });
  },
};
