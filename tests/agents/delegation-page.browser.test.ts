import { expect, test } from "bun:test";
import { useChromium } from "../e2e/use-chromium.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { openAgentScene } from "./agent-scene.ts";
import { CHILDREN, DelegationStory, STORY_END, STORY_PROMPT } from "./delegation-story.ts";
import { REAL_AGENTS } from "./real-agents.ts";

const chromium = useChromium();

for (const agent of REAL_AGENTS)
  test.skipIf(!agent.isInstalled)(
    `O-4 O-5 the page shows live what ${agent.title} has other agents do, over a kill -9 of the server as well`,
    async () => {
      const story = new DelegationStory(agent, "kill_agent");
      await using scene = await openAgentScene(agent, {}, story.plan);
      await using app = await chromium.open(scene.server, { losesServer: true });
      await app.addProject(await scene.server.directory("demo"));
      const parent = await app.newSession("demo", agent.title);
      const { id: sessionId } = parent;
      await scene.client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, mode: "all" });
      await parent.say(STORY_PROMPT);
      await scene.model.untilHeld("kill_agent");
      const under = (title: string) =>
        app.projects
          .getByRole("listitem")
          .filter({ has: app.page.getByRole("button", { name: STORY_PROMPT, exact: true }) })
          .last()
          .getByRole("list")
          .getByRole("button", { name: title, exact: true });
      for (const { title } of CHILDREN) await under(title).waitFor();
      await app.untilRowSays("Sleeper", "working");
      await app.untilRowSays("Counter", /^(?!.*working)/);
      await scene.server.kill();
      await scene.server.start();
      scene.model.release("kill_agent");
      await parent.untilSaid(STORY_END);
      await app.untilRowSays("Sleeper", /^(?!.*working)/);
      await expectSoon(() => under("Sleeper").count()).toBe(1);
      expect(story.errors).toEqual([]);
      const child = await app.open("Counter");
      await child.untilSaid("w60");
    },
  );
