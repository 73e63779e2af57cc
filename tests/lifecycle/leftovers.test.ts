import { expect, it } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, waitUntilGone } from "../builtin-agent/process-watch.ts";
import { startTalk } from "../integration/talk.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { agentPid } from "./agent-status.ts";

it.skipIf(process.platform !== "linux")(
  "X-21 what a killed server and its killed lifeline leave behind is ended by the next start; a reused number is not",
  async () => {
    await using server = await startTestServer({ agents: { deaf: guideWith("--scenario", "deaf-to-exit") } });
    const talk = await startTalk(server, "deaf");
    await talk.say("scenario spawn-children");
    const [child = 0, daemon = 0] = talk.answer.match(/\d+/g)?.map(Number) ?? [];
    const agent = await agentPid(server, "deaf");
    process.kill(lifelineOf(server.pid), "SIGKILL");
    process.kill(agent, "SIGSTOP"); // or it may end by itself for want of a reader
    await server.kill();
    expect([agent, child, daemon].map(isAlive)).toEqual([true, true, true]);
    const bystander = Bun.spawn(["sleep", "300"]);
    appendFileSync(join(server.dataDir, "agent-processes"), `+ ${bystander.pid} another process\n`);
    await server.start();
    for (const pid of [agent, child, daemon]) await waitUntilGone(pid);
    expect(isAlive(bystander.pid)).toBe(true);
    bystander.kill("SIGKILL");
    await bystander.exited;
    expect(server.log).toContain(`Ended a leftover agent process ${agent}`);
  },
);

/** It carries no mark of the test's: whoever it belongs to is its parent. */
function lifelineOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  const found = children.find((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("liminal-lifeline"));
  if (found === undefined) throw new Error("the server holds no lifeline");
  return found;
}
