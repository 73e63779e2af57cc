import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type AgentScene, openAgentScene } from "./agent-scene.ts";
import { gated } from "./gated-command.ts";
import { textsBy } from "./model-server/model-request.ts";
import { expectSettled, outline } from "./outline.ts";
import { REAL_AGENTS } from "./real-agents.ts";

for (const agent of REAL_AGENTS)
  describe(`bringing back ${agent.title}`, () => {
    const real = test.skipIf(!agent.isInstalled);

    real("W-4 killed between turns: the next send brings it back, and it remembers", async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      await talk.run("think: A thought.", "say: The first answer.");
      const before = talk.entries;
      await scene.killAgent();
      await talk.run("say: The second answer.");
      expect(talk.entries.slice(0, before.length)).toEqual([...before]);
      expect(outline(talk.entries).slice(before.length)).toEqual([
        ["user", "say: The second answer."],
        ["assistant", "The second answer."],
      ]);
      expectRemembered(scene, ["The first answer."]);
      expectSettled(talk);
      expect((await scene.agentStatus()).restarts).toBe(1);
    });

    real("W-4 killed in a turn: it ends as interrupted with what had arrived, and the talk goes on", async () => {
      await using scene = await openAgentScene(agent);
      const [talk, other] = [await scene.newSession(), await scene.newSession()];
      await other.run("say: The other's answer.");
      await talk.run("say: The first answer.");
      await talk.send("say: Half an answer", `hold: ${talk.sessionId}`);
      await scene.model.untilHeld(talk.sessionId);
      await scene.client.until("the half", () => talk.entries.find(({ content }) => content === "Half an answer"));
      await scene.killAgent();
      await talk.untilEnded();
      expect(talk.state.turn).toMatchObject({ stopReason: "interrupted", error: { code: "AGENT_UNAVAILABLE" } });
      expect(outline(talk.entries).at(-1)).toEqual(["assistant", "Half an answer"]);
      expectSettled(talk);
      await talk.run("say: Back again.");
      expect(talk.entries.at(-1)?.content).toBe("Back again.");
      expectRemembered(scene, ["The first answer."]);
      await other.run("say: Here too.");
      expectRemembered(scene, ["The other's answer."]);
      for (const one of [talk, other]) expectSettled(one);
    });

    real("W-4 killed during a command: the call is no longer shown as running, and the command is gone", async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      const command = gated("echo never");
      await talk.send(agent.shell(command));
      await talk.untilTool("the command", ({ name, status }) => name === command && status === "running");
      await scene.killAgent();
      await talk.untilEnded();
      expect(talk.state.turn.stopReason).toBe("interrupted");
      expect(talk.tools.map(({ status }) => status)).toEqual(["error"]);
      expectSettled(talk);
      await talk.run("say: Back again.");
      expect(talk.entries.at(-1)?.content).toBe("Back again.");
      expectSettled(talk);
    });

    real("X-1 TC-2.5b the server killed: the history opens as it was, and the agent still remembers", async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      await talk.run("think: A thought.", "say: The first answer.");
      const before = talk.entries;
      await scene.server.kill();
      await scene.server.start();
      const again = await scene.reopen(talk);
      expect(again.entries).toEqual([...before]);
      await again.run("say: The second answer.");
      expect(again.entries.at(-1)?.content).toBe("The second answer.");
      expect(again.entries.length).toBe(before.length + 2);
      expectRemembered(scene, ["The first answer."]);
      expectSettled(again);
    });

    real("TC-2.4a an archived session is closed at the agent; taken out again it still remembers", async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      await talk.run("say: The first answer.");
      await scene.client.ask("session:archived", { type: "session:archive", sessionId: talk.sessionId });
      await scene.client.ask("session:unarchived", { type: "session:unarchive", sessionId: talk.sessionId });
      await talk.run("say: The second answer.");
      expect(talk.entries.at(-1)?.content).toBe("The second answer.");
      expectRemembered(scene, ["The first answer."]);
      expectSettled(talk);
    });

    real("W-4 a session killed by hand in a turn ends it at once, and comes back with the very next send", async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      await talk.run("say: The first answer.");
      await talk.send("say: Half an answer", `hold: ${talk.sessionId}`);
      await scene.model.untilHeld(talk.sessionId);
      await scene.client.ask("ok", { type: "session:kill", sessionId: talk.sessionId });
      await talk.untilEnded();
      expectSettled(talk);
      await talk.run("say: The second answer.");
      expect(talk.entries.at(-1)?.content).toBe("The second answer.");
      expect(talk.state.turn.stopReason).toBe("end_turn");
      expectRemembered(scene, ["The first answer."]);
      expectSettled(talk);
      expect((await scene.agentStatus()).restarts).toBe(0);
    });
  });

/** What the model was shown of its own earlier answers, besides what the last turns may have left unfinished. */
function expectRemembered(scene: AgentScene, answers: readonly string[]): void {
  const shown = textsBy(scene.model.requests.at(-1), "assistant");
  expect(shown.filter((text) => answers.includes(text))).toEqual([...answers]);
}

const claude = REAL_AGENTS.find(({ name }) => name === "claude");
if (!claude) throw new Error("Claude is needed");

// Claude writes its memory late: one that is killed in its first turn may have none.
test.skipIf(!claude.isInstalled)(
  "W-4 its memory gone: Claude Code is told the conversation, and nothing of it runs again",
  async () => {
    await using scene = await openAgentScene(claude);
    const talk = await scene.newSession();
    await talk.run(claude.shell("echo once"), "say: The first answer.");
    await scene.killAgent();
    await rm(join(scene.env["CLAUDE_CONFIG_DIR"] ?? "", "projects"), { recursive: true });
    await talk.run("say: Back again.");
    expect(talk.entries.at(-1)?.content).toBe("Back again.");
    expect(scene.model.bodies.at(-1)).toContain("The first answer.");
    expect(talk.tools.length).toBe(1);
    expectSettled(talk);
  },
);
