import { expect, test } from "bun:test";
import { McpCaller, sessionToken } from "../orchestration/mcp-caller.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { openAgentScene } from "./agent-scene.ts";
import { CHILDREN, DelegationStory, STORY_END, STORY_PROMPT } from "./delegation-story.ts";
import { expectSettled } from "./outline.ts";
import { REAL_AGENTS } from "./real-agents.ts";

const ROUNDS_FULL = 5;
const ROUND_MS_MAX = 120_000;
/** About as many as a story without a crash sends to a bystander. */
const FRAMES_MAX = 62;

for (const agent of REAL_AGENTS)
  test.skipIf(!agent.isInstalled)(
    `X-20 X-19 X-1 kill -9 of the server at random moments of a story that ${agent.title} tells: it ends as it would have`,
    async () => {
      const rounds = roundsOf(ROUNDS_FULL);
      const random = seededRandom(`delegation crashes of ${agent.title}`);
      const sum = { kills: 0, midway: 0, children: 0, errors: 0 };
      for (let round = 0; round < rounds; round++) {
        const story = new DelegationStory(agent);
        await using scene = await openAgentScene(agent, {}, story.plan);
        const talk = await scene.newSession();
        const { sessionId } = talk;
        await scene.client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, mode: "all" });
        const bystander = await scene.server.connect();
        const moment = bystander.mark() + random.between(1, FRAMES_MAX);
        await talk.send(STORY_PROMPT);
        const ended = talk.untilEnded().then(() => false);
        ended.catch(() => undefined);
        const reached = bystander.until("the moment", () => bystander.received.length >= moment).then(() => true);
        reached.catch(() => undefined);
        const isMidway = await Promise.race([reached, ended]);
        await scene.server.kill();
        await scene.server.start();
        const again = await scene.reopen(talk);
        await again.untilIdle();
        sum.kills += 1;
        sum.midway += isMidway ? 1 : 0;
        sum.errors += story.errors.length;
        expect(story.errors).toEqual([]);
        expect(again.entries.at(-1)?.content).toBe(STORY_END);
        expect(again.entries.filter(({ type }) => type === "user").map(({ content }) => content)).toEqual([
          STORY_PROMPT,
        ]);
        await using caller = await McpCaller.overHttp(scene.server, sessionToken(scene.server, sessionId));
        const children = await caller.list();
        sum.children += children.length;
        expect(children.map(({ title, outcome }) => [title, outcome])).toEqual([
          ["Counter", "done"],
          ["Asker", "done"],
          ["Sleeper", "killed"],
        ]);
        for (const [index, { agentId }] of children.entries()) {
          const { entries = [] } = await caller.output(agentId, { limit: 100 });
          const told = entries.filter(({ type }) => type === "user").map(({ text }) => text);
          expect(told).toEqual([CHILDREN[index]?.plan ?? ""]);
        }
        expectSettled(again);
      }
      console.log(
        `${agent.title}: ${sum.kills} kills, ${sum.midway} of them midway, ${sum.children} children of ${rounds * CHILDREN.length}, ` +
          `${sum.errors} calls that failed; 0 lost, 0 doubled`,
      );
    },
    roundsOf(ROUNDS_FULL) * ROUND_MS_MAX,
  );
