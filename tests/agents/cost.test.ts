import { expect, test } from "bun:test";
import { openAgentScene } from "./agent-scene.ts";
import { REAL_AGENTS } from "./real-agents.ts";

for (const agent of REAL_AGENTS.filter(({ name }) => name === "claude"))
  test.skipIf(!agent.isInstalled)(
    `(A13) what a session with ${agent.title} cost never falls, also when its process starts again`,
    async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      const seen: number[] = [];
      const costNow = () => talk.state.config.usage?.cost?.amount ?? 0;
      await talk.run("say: The first answer.");
      await talk.run("say: The second answer.");
      const before = costNow();
      expect(before).toBeGreaterThan(0);
      await scene.killAgent();
      await talk.send("say: Half", `hold: ${talk.sessionId}`, "say: done.");
      await scene.model.untilHeld(talk.sessionId);
      seen.push(costNow());
      scene.model.release(talk.sessionId);
      await talk.untilEnded();
      seen.push(costNow());
      expect(seen[0]).toBe(before);
      expect(seen[1]).toBeGreaterThan(before);
    },
  );
