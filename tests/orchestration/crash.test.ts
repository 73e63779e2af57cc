import { expect, test } from "bun:test";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { startTestServer } from "../support/test-server.ts";
import { CHILDREN, CrashStory } from "./crash-story.ts";
import { McpCaller } from "./mcp-caller.ts";

const ROUNDS_FULL = 100;
const ROUND_MS_MAX = 30_000;
/** About as many as a story without a crash sends to a bystander. */
const FRAMES_MAX = 90;

test(
  "X-20 X-1 kill -9 of the server at random moments of a story: no child lost or doubled, no result lost, no orphan",
  async () => {
    const rounds = roundsOf(ROUNDS_FULL);
    const random = seededRandom("orchestration crashes");
    await using server = await startTestServer();
    const sum = { kills: 0, children: 0, interrupted: 0, repeatedCalls: 0, midway: 0 };
    for (let round = 0; round < rounds; round++) {
      const story = await CrashStory.begin(server);
      const bystander = await server.connect();
      const moment = bystander.mark() + random.between(1, FRAMES_MAX);
      const telling = story.tell();
      const reached = bystander.until("the moment", () => bystander.received.length >= moment).then(() => true);
      const isMidway = await Promise.race([reached, telling.then(() => false)]);
      bystander[Symbol.dispose]();
      reached.catch(() => undefined);
      await story.crash();
      const end = await telling;
      sum.kills += 1;
      sum.midway += isMidway ? 1 : 0;
      sum.children += end.children.length;
      sum.interrupted += end.interrupted;
      sum.repeatedCalls += end.repeatedCalls;
      expect(end.contradictions).toEqual([]);
      expect(end.children.map(({ outcome }) => outcome)).toEqual(["done", "failed", "cancelled", "killed", "done"]);
      for (const [agentId, messages] of end.told)
        expect(messages).toHaveLength(end.expectedToldCount.get(agentId) ?? 0);
      expect(end.told.size).toBe(CHILDREN.length);
    }
    console.log(
      `${sum.kills} kills, ${sum.midway} of them midway, ${sum.children} children of ${rounds * CHILDREN.length}, ` +
        `${sum.interrupted} turns interrupted and told again, ${sum.repeatedCalls} calls repeated; 0 lost, 0 doubled`,
    );
  },
  roundsOf(ROUNDS_FULL) * ROUND_MS_MAX,
);

test("O-2 X-20 liminal mcp finds a server that was started again on another port, and repeats what was cut off", async () => {
  await using server = await startTestServer({ env: { LIMINAL_HOLD_MS: "0" } });
  const project = await server.directory("demo");
  await using caller = await McpCaller.overStdio(server);
  const agentId = await caller.create({ agent: "builtin", project, plan: "sleep" });
  const waiting = caller.wait({ agentIds: [agentId] });
  const { port } = server;
  await server.kill();
  using squatter = Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response(null, { status: 404 }) });
  await server.start();
  expect(server.port).not.toBe(squatter.port ?? 0);
  const { reason, agents } = await waiting;
  expect([reason, agents[0]?.outcome]).toEqual(["failed", "interrupted"]);
  expect((await caller.list()).map((info) => info.agentId)).toEqual([agentId]);
});
