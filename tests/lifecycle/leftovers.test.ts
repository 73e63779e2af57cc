import { describe, expect, it } from "bun:test";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { quietRead } from "../../src/agents/process/process-ledger.ts";
import { isAlive, waitUntilGone } from "../builtin-agent/process-watch.ts";
import { startTalk } from "../integration/talk.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { agentPid } from "./agent-status.ts";

const DEAF = { deaf: guideWith("--scenario", "deaf-to-exit") };

/** An agent with a child and a daemon, none of which ends by itself; the server is killed first. */
async function leaveBehind(server: TestServer, keeper: () => number): Promise<number[]> {
  const talk = await startTalk(server, "deaf");
  await talk.say("scenario spawn-children");
  const [child = 0, daemon = 0] = talk.answer.match(/\d+/g)?.map(Number) ?? [];
  const agent = await agentPid(server, "deaf");
  process.kill(lifelineOf(keeper()), "SIGKILL");
  process.kill(agent, "SIGSTOP"); // or it may end by itself for want of a reader
  return [agent, child, daemon];
}

async function expectSwept(server: TestServer, left: readonly number[]): Promise<void> {
  expect(left.map(isAlive)).toEqual([true, true, true]);
  const bystander = Bun.spawn(["sleep", "300"]);
  appendFileSync(join(server.dataDir, "agent-processes"), `+ ${bystander.pid} another process\n`);
  await server.start();
  for (const pid of left) await waitUntilGone(pid);
  expect(isAlive(bystander.pid)).toBe(true);
  bystander.kill("SIGKILL");
  await bystander.exited;
  await waitFor(
    () => server.log,
    (log) => log.includes(`Killed leftover agent process ${left[0]}`),
    "the word about the agent",
  );
}

describe.skipIf(process.platform !== "linux")(
  "X-21 leftovers are ended by the next start; a reused number is not",
  () => {
    it("a killed server and its killed lifeline, where agents end with the server", async () => {
      await using server = await startTestServer({ agents: DEAF, env: { LIMINAL_HOLD_MS: "0" } });
      const left = await leaveBehind(server, () => server.pid);
      await server.kill();
      await expectSwept(server, left);
    });

    it("a killed server, its killed holder and the holder's killed lifeline", async () => {
      await using server = await startTestServer({ agents: DEAF });
      const left = await leaveBehind(server, () => server.holders()[0]?.pid ?? 0);
      const [holder] = server.holders();
      await server.kill();
      process.kill(holder?.pid ?? 0, "SIGKILL");
      await waitUntilGone(holder?.pid ?? 0);
      await expectSwept(server, left);
      const held = () => readdirSync(join(server.dataDir, "held"));
      await waitFor(held, ({ length }) => length === 0, "the files of the killed holder to go");
    });
  },
);

/** It carries no mark of the test's: whoever it belongs to is its parent. */
function lifelineOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  // Others, such as Git, may end while they are looked at.
  const found = children.find((child) => quietRead(`/proc/${child}/cmdline`)?.includes("liminal-lifeline"));
  if (found === undefined) throw new Error("there is no lifeline");
  return found;
}
