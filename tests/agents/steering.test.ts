import { expect, test } from "bun:test";
import { splitCommand } from "../../src/agents/catalog/registry-definition.ts";
import { CommandId } from "../../src/protocol/ids.ts";
import { AcpScene } from "../core/acp-scene.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startModelServer } from "./model-server/model-server.ts";
import { REAL_AGENTS } from "./real-agents.ts";

for (const agent of REAL_AGENTS)
  test.skipIf(!agent.isInstalled)(
    `CV-30 (A9) a steer that reaches ${agent.title} after its turn starts no turn and stays ours to send`,
    async () => {
      await using home = await tempDir();
      await using model = startModelServer();
      const env = await agent.settle(home.path, model.origin);
      const command = splitCommand(env[agent.variable] ?? "");
      await using at = await AcpScene.opened(await AcpScene.startProgram({ command, env }));
      const { session } = at;
      expect(await at.ask(session, "say: The first answer.")).toMatchObject({ stopReason: "end_turn" });
      session.steer?.(CommandId.parse("late"), "say: Nobody asked for this.", []);
      const steered = await at.until(({ type }) => type === "steered");
      expect(steered).toMatchObject({ commandId: "late", outcome: "not-taken" });
      // The next prompt's answer comes after the output of an unowned turn, if there is one.
      await at.ask(session, "say: The second answer.");
      expect(at.text).toBe("The first answer.The second answer.");
      expect(model.requests).toHaveLength(2);
    },
  );
