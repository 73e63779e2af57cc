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
      const costNow = () => {
        seen.push(talk.state.config.usage?.cost?.amount ?? 0);
        return seen.at(-1) ?? 0;
      };
      /** An agent may tell it after the end of the turn. */
      const untilAbove = async (known: number): Promise<number> => {
        await scene.client.untilState(talk.sessionId, `a cost above ${known}`, () => costNow() > known);
        return costNow();
      };
      await talk.run("say: The first answer.");
      const first = await untilAbove(0);
      await talk.run("say: The second answer.");
      const before = await untilAbove(first);
      await scene.killAgent();
      await talk.send("say: Half", `hold: ${talk.sessionId}`, "say: done.");
      await scene.model.untilHeld(talk.sessionId);
      expect(costNow()).toBe(before);
      scene.model.release(talk.sessionId);
      await talk.untilEnded();
      await untilAbove(before);
      expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    },
  );
