import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { type AgentScene, type AgentTalk, EDITED_TEXT, openAgentScene } from "./agent-scene.ts";
import { gated } from "./gated-command.ts";
import { expectSettled, outline } from "./outline.ts";
import { REAL_AGENTS } from "./real-agents.ts";

for (const agent of REAL_AGENTS)
  describe(`cancelling ${agent.title}`, () => {
    let scene: AgentScene;
    beforeAll(async () => {
      if (agent.isInstalled) scene = await openAgentScene(agent);
    });
    afterAll(async () => {
      await scene?.[Symbol.asyncDispose]();
    });
    const real = test.skipIf(!agent.isInstalled);

    async function expectGoesOn(talk: AgentTalk): Promise<void> {
      const { pid } = await scene.agentStatus();
      await talk.run("say: Still here.");
      expect(talk.entries.at(-1)?.content).toBe("Still here.");
      expect(talk.state.turn.stopReason).toBe("end_turn");
      expectSettled(talk);
      expect(await scene.agentStatus()).toMatchObject({ pid, restarts: 0 });
    }

    real("W-2 TC-3.7b mid-stream: the partial text stays, the model is let go, the same process goes on", async () => {
      const talk = await scene.newSession();
      await talk.send("say: Half an answer", `hold: ${talk.sessionId}`, "say: never said");
      await scene.model.untilHeld(talk.sessionId);
      await scene.client.until("the half", () => talk.entries.find(({ content }) => content === "Half an answer"));
      await talk.cancel();
      await talk.untilEnded();
      expect(talk.state.turn.stopReason).toBe("cancelled");
      await scene.model.untilAbandoned(talk.sessionId);
      expect(outline(talk.entries).slice(1)).toEqual([["assistant", "Half an answer"]]);
      expectSettled(talk);
      await expectGoesOn(talk);
    });

    real("W-3 during a command: it shows as cancelled at once and stays so", async () => {
      const talk = await scene.newSession();
      const command = gated("echo never");
      await talk.send(agent.shell(command), "say: never said");
      await talk.untilTool("the command", ({ name, status }) => name === command && status === "running");
      const mark = scene.client.mark();
      await talk.cancel();
      const settled = await scene.client.next(
        "session:update",
        ({ entry }) => entry.type === "tool-call" && entry.status !== "running",
        mark,
      );
      expect(settled.entry).toMatchObject({ status: "cancelled", name: command });
      await talk.untilEnded();
      expect(talk.state.turn.stopReason).toBe("cancelled");
      expect(outline(talk.entries).slice(1)).toEqual([["tool-call", command, "cancelled"]]);
      expectSettled(talk);
      await expectGoesOn(talk);
    });

    real("W-3 during a permission: it is withdrawn, nothing is changed, and a late answer is refused", async () => {
      const talk = await scene.newSession();
      await talk.askFirst();
      await talk.send(agent.edit(talk.file, "line two", "line 2"), "say: never said");
      const asked = await talk.untilAsked();
      await talk.cancel();
      const { outcome } = await scene.client.next(
        "permission:resolved",
        ({ permissionId }) => permissionId === asked.permissionId,
        0,
      );
      expect(outcome).toEqual({ outcome: "cancelled" });
      await talk.untilEnded();
      expect(talk.state.turn.stopReason).toBe("cancelled");
      expect(talk.tools.at(-1)).toMatchObject({ kind: "edit", status: "cancelled" });
      expect(await readFile(talk.file, "utf8")).toBe(EDITED_TEXT);
      expectSettled(talk);
      const late = await scene.client.request({
        type: "permission:respond",
        sessionId: talk.sessionId,
        permissionId: asked.permissionId,
        optionId: asked.options[0]?.optionId,
      });
      expect(late).toMatchObject({ type: "error", code: "REQUEST_NOT_PENDING" });
      await expectGoesOn(talk);
      expect(await readFile(talk.file, "utf8")).toBe(EDITED_TEXT);
    });

    real("W-2 with nothing running it is harmless, and the next turn is a whole one", async () => {
      const talk = await scene.newSession();
      await talk.cancel();
      await expectGoesOn(talk);
      await talk.cancel();
      await expectGoesOn(talk);
    });

    real("W-3 cancelling one session leaves another of the same process alone", async () => {
      const [one, other] = [await scene.newSession(), await scene.newSession()];
      await one.send("say: Going on", `hold: ${one.sessionId}`, "say: , and on.");
      await other.send("say: Stopped here", `hold: ${other.sessionId}`, "say: never said");
      await Promise.all([scene.model.untilHeld(one.sessionId), scene.model.untilHeld(other.sessionId)]);
      await other.cancel();
      await other.untilEnded();
      expect(one.state.turn.state).toBe("running");
      scene.model.release(one.sessionId);
      await one.untilEnded();
      expect(one.entries.at(-1)?.content).toBe("Going on, and on.");
      expect(one.state.turn.stopReason).toBe("end_turn");
      for (const talk of [one, other]) expectSettled(talk);
    });
  });
