import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { type AgentScene, type AgentTalk, EDITED_TEXT, openAgentScene } from "./agent-scene.ts";
import { gated, openGate } from "./gated-command.ts";
import { expectSettled, type Line, outline } from "./outline.ts";
import { REAL_AGENTS } from "./real-agents.ts";

for (const agent of REAL_AGENTS)
  describe(`X-19 the server is killed under ${agent.title}`, () => {
    const real = test.skipIf(!agent.isInstalled);

    /** Kills the server, starts the next one, and proves that the same process continues the same turn. */
    async function acrossKill(scene: AgentScene, talk: AgentTalk): Promise<AgentTalk> {
      const { pid } = await scene.agentStatus();
      const { turnId } = talk.state.turn;
      await scene.server.kill();
      await scene.server.start();
      const again = await scene.reopen(talk);
      expect(again.state.turn.turnId).toBe(turnId);
      expect(["running", "waiting"]).toContain(again.state.turn.state);
      expect(await scene.agentStatus()).toMatchObject({ pid, restarts: 0 });
      return again;
    }

    async function expectEnded(talk: AgentTalk, entries: readonly Line[]): Promise<void> {
      await talk.untilEnded();
      expect(talk.state.turn.stopReason).toBe("end_turn");
      expect(outline(talk.entries).slice(1)).toEqual([...entries]);
      expectSettled(talk);
    }

    real("in the middle of an answer: the rest of it follows, and the next turn remembers", async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      await talk.send("say: Half an answer", `hold: ${talk.sessionId}`, "say: , and the other half.");
      await scene.model.untilHeld(talk.sessionId);
      await scene.client.until("the half", () => talk.entries.find(({ content }) => content === "Half an answer"));
      const again = await acrossKill(scene, talk);
      scene.model.release(talk.sessionId);
      await expectEnded(again, [["assistant", "Half an answer, and the other half."]]);
      await again.run("say: Still here.");
      expect(again.entries.at(-1)?.content).toBe("Still here.");
    });

    real("while it says much: not a word is lost or doubled", async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      const held = ["one", "two"].map((name) => `${name} ${talk.sessionId}`);
      await talk.send("long: 300", `hold: ${held[0]}`, "long: 3000", `hold: ${held[1]}`, "say: Over.");
      await scene.model.untilHeld(held[0] ?? "");
      const again = await acrossKill(scene, talk);
      // The words come while there is no server.
      await scene.server.kill();
      scene.model.release(held[0] ?? "");
      await scene.model.untilHeld(held[1] ?? "");
      await scene.server.start();
      scene.model.release(held[1] ?? "");
      const last = await scene.reopen(again);
      await last.untilEnded();
      const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index + 1}`).join(" ");
      const text = last.entries.flatMap(({ type, content }) => (type === "assistant" ? [content] : [])).join("");
      expect(text).toBe(`${words(300)}${words(3_000)}Over.`);
      expectSettled(last);
    });

    real("during a command: it runs on, and its end is shown", async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      const command = gated("echo done after all");
      await talk.send(agent.shell(command), "say: Done.");
      await talk.untilTool("the command", ({ name, status }) => name === command && status === "running");
      const again = await acrossKill(scene, talk);
      await openGate(again);
      await expectEnded(again, [
        ["tool-call", command, "complete"],
        ["assistant", "Done."],
      ]);
      expect(again.tools[0]?.result).toContain("done after all");
    });

    real("while it asks: the same question is open, and the answer reaches it", async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      await talk.askFirst();
      await talk.send(agent.edit(talk.file, "line two", "line 2"), "say: Changed.");
      const asked = await talk.untilAsked();
      const again = await acrossKill(scene, talk);
      await again.answer(asked, "allow_once");
      await again.untilEnded();
      expect(again.state.turn.stopReason).toBe("end_turn");
      expect(await readFile(again.file, "utf8")).toBe(EDITED_TEXT.replace("line two", "line 2"));
      expectSettled(again);
    });

    real("while it is being stopped: it stops, and the talk goes on", async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      await talk.send("say: Half an answer", `hold: ${talk.sessionId}`, "say: never said");
      await scene.model.untilHeld(talk.sessionId);
      await scene.client.until("the half", () => talk.entries.find(({ content }) => content === "Half an answer"));
      scene.client.post({ type: "session:cancel", sessionId: talk.sessionId, commandId: "stop" });
      await scene.server.kill();
      await scene.server.start();
      const again = await scene.reopen(talk);
      await scene.client.ask("ok", { type: "session:cancel", sessionId: talk.sessionId, commandId: "stop" });
      await again.untilEnded();
      expect(again.state.turn.stopReason).toBe("cancelled");
      // Codex may also tell that it was just looking for our tools when the server went.
      const said = outline(again.entries).filter(([type]) => type === "assistant");
      expect(said).toEqual([["assistant", "Half an answer"]]);
      await again.run("say: Still here.");
      expect(again.entries.at(-1)?.content).toBe("Still here.");
    });
  });
