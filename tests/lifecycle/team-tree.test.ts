import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findMarked } from "../../scripts/test/marked-processes.ts";
import { type ModelServer, startModelServer } from "../agents/model-server/model-server.ts";
import { toolLine } from "../agents/model-server/script.ts";
import type { Talk } from "../integration/talk.ts";
import { McpCaller, relayProgram, sessionToken } from "../orchestration/mcp-caller.ts";
import { modelEnv } from "../orchestrator/model-env.ts";
import { CAN_SSH, Sshd, WHERE_SSH } from "../places/sshd.ts";
import { type ProcessWatch, watchProcesses } from "../support/leftover-processes.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { type AgentSetting, guideWith, START, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { Team } from "./team.ts";

const TEST_MS_MAX = 240_000;
const LIMITS = { runningMax: 3, childrenMax: 5 };
const SOCKET_VARIABLE = "LIMINAL_MCP_SOCKET";

/** The built-in agent with a scripted model. */
function orchestrator(model: ModelServer): AgentSetting {
  const { command, args = [] } = guideWith();
  const env = Object.entries(modelEnv(model)).map((pair) => pair.join("="));
  return { name: "Orchestrator", command: "/usr/bin/env", args: [...env, command, ...args] };
}

describe.skipIf(!CAN_RUN_POSTGRES || !CAN_SSH)(`trees of agents of a team, on ${POSTGRES} and ${WHERE_SSH}`, () => {
  let database: PostgresServer;
  let dir: TempDir;
  let there: ProcessWatch;
  let sshd: Sshd;
  let model: ModelServer;
  let team: Team;

  beforeAll(async () => {
    database = await PostgresServer.start();
    dir = await tempDir();
    there = watchProcesses();
    model = startModelServer();
    mkdirSync(join(dir.path, "home/app"), { recursive: true });
    sshd = await Sshd.start({ HOME: dir.join("home"), PATH: process.env["PATH"] ?? "", ...there.env });
    const program = dir.join("installed");
    writeFileSync(program, `#!/bin/sh\nexec ${START.join(" ")} "$@"\n`);
    chmodSync(program, 0o755);
    team = await Team.start(database, {
      env: { PATH: `${sshd.bin}:${process.env["PATH"]}` },
      reachedBy: { kind: "ssh", host: "box", program },
      agents: { builtin: orchestrator(model), guide: guideWith() },
      config: { orchestration: LIMITS },
    });
  });
  afterAll(async () => {
    await team[Symbol.asyncDispose]();
    there[Symbol.dispose]();
    await sshd[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  /** Of the team, at the place. */
  function runnerDir(): string {
    const root = join(dir.path, "home/.liminal-runner");
    const [server, ...others] = readdirSync(root);
    if (server === undefined || others.length > 0) throw new Error("the place knows the team as one server");
    return join(root, server);
  }

  const calling = (server: TestServer, talk: Talk) => McpCaller.overHttp(server, sessionToken(server, talk.sessionId));

  /** As an agent at the place calls. */
  const callingThere = (server: TestServer, talk: Talk) => {
    const program = relayProgram(server, sessionToken(server, talk.sessionId));
    return McpCaller.by({ ...program, env: { ...program.env, [SOCKET_VARIABLE]: join(runnerDir(), "m/s") } });
  };

  /** The one that works is killed; the one that takes over, and the session at that one. */
  async function takenOver(talk: Talk): Promise<{ readonly by: TestServer; readonly talk: Talk }> {
    const [worker, by] = [await team.worker(), await team.standby()];
    await worker.kill();
    const again = await talk.joinedBy(await team.connect(by));
    await worker.start();
    return { by, talk: again };
  }

  async function untilNothingIsLeft({ client, sessionId }: Talk): Promise<void> {
    await client.ask("session:archived", { type: "session:archive", sessionId });
    await waitFor(
      () => [...readdirSync(join(runnerDir(), "h")), ...findMarked(SOCKET_VARIABLE, join(runnerDir(), "m/s"))],
      (left) => left.length === 0,
      "nothing to be left at the place",
    );
  }

  it(
    "[SC-11] the limits of a tree hold when both servers and an agent at the place create at once, and after the server that works was killed",
    async () => {
      const first = await team.talk(await team.standby(), "guide");
      await first.say("help");
      const [worker, standby] = [await team.worker(), await team.standby()];
      await using one = await calling(worker, first);
      await using other = await calling(standby, first);
      const agent = await callingThere(worker, first);
      const given = { agent: "guide", plan: "sleep" };
      const all = await Promise.all(
        [one, other, agent].flatMap((caller) =>
          Array.from({ length: 3 }, () => caller.refusalOf("create_coding_agent", given)),
        ),
      );
      const refusals = all.filter((words) => words.startsWith("Over the limit"));
      expect([all.length - refusals.length, new Set(refusals).size]).toEqual([LIMITS.runningMax, 1]);
      expect(refusals[0]).toStartWith(`Over the limit of ${LIMITS.runningMax} for agents running at once.`);
      const before = await one.list();
      expect(before.map(({ cwd }) => cwd)).toEqual(Array(LIMITS.runningMax).fill(`box:${dir.join("home/app")}`));

      const { by, talk } = await takenOver(first);
      await using next = await calling(by, talk);
      expect((await next.list()).map(({ agentId }) => agentId)).toEqual(before.map(({ agentId }) => agentId));
      // The same program as before: it was led to the server that works now.
      for (const caller of [next, agent])
        expect(await caller.refusalOf("create_coding_agent", given)).toBe(refusals[0] ?? "");
      for (let idle = LIMITS.runningMax; idle < LIMITS.childrenMax; idle += 1) await agent.create({ agent: "guide" });
      expect(await next.refusalOf("create_coding_agent", { agent: "guide" })).toStartWith(
        `Over the limit of ${LIMITS.childrenMax} for agents of one session.`,
      );
      await agent[Symbol.asyncDispose]();
      await untilNothingIsLeft(talk);
    },
    TEST_MS_MAX,
  );

  it(
    "[SC-25] a wait wakes its session once, and one that an agent is in is answered once, when the server that works is killed in between",
    async () => {
      const first = await team.talk(await team.standby(), "builtin");
      const created = ["sleep", "stream 3 words"].map((plan) =>
        toolLine("create_coding_agent", { agent: "guide", plan }),
      );
      await first.say([...created, toolLine("wait_for_agents", { wake: true }), "say: I wait."].join("\n"));
      expect(first.answer).toBe("I wait.");
      expect(first.state.waits).toHaveLength(1);

      const second = await takenOver(first);
      expect(second.talk.state.waits).toHaveLength(1);
      await using caller = await calling(second.by, first);
      const [sleeper] = await caller.list();
      await caller.call("cancel_agent", { agentId: sleeper?.agentId });
      await second.talk.untilTurnsEnded(2);
      expect(second.talk.messages[1]).toContain("idle: cancelled");
      expect(second.talk.messages[1]).toContain("idle: done\n\nw1 w2 w3");

      // The third server finds nothing to wake for, and answers the call that its agent is in.
      const asked = [
        toolLine("create_coding_agent", { agent: "guide", plan: "sleep" }),
        toolLine("wait_for_agents", {}),
      ];
      const seq = await second.talk.send([...asked, "say: All is done."].join("\n"));
      const isWaiting = ({ tools }: Talk) =>
        tools.some(({ name, status }) => name === "Wait for agents" && status === "running");
      await second.talk.until("the wait", () => isWaiting(second.talk));
      const third = await takenOver(second.talk);
      await using last = await calling(third.by, first);
      const children = await last.list();
      expect(children).toHaveLength(3);
      await last.call("cancel_agent", { agentId: children[2]?.agentId });
      await third.talk.untilIdle(seq);
      expect(third.talk.answer).toEndWith("All is done.");
      expect(third.talk.messages).toHaveLength(3);
      expect(third.talk.state.waits).toEqual([]);
      expect(await last.list()).toHaveLength(3);
      await untilNothingIsLeft(third.talk);
    },
    TEST_MS_MAX,
  );
});
