import { expect, test } from "bun:test";
import { openAgentScene } from "./agent-scene.ts";
import { textsBy } from "./model-server/model-request.ts";
import { expectSettled, type Line, outline } from "./outline.ts";
import { PlainAcpRun } from "./plain-acp-run.ts";
import { REAL_AGENTS } from "./real-agents.ts";

for (const agent of REAL_AGENTS)
  test.skipIf(!agent.isInstalled)(
    `CV-4 (A4) turns said to ${agent.title} elsewhere stand in the transcript once and in order, three times round`,
    async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      await talk.run("say: Here 0.");
      const expected = [said("Here 0.")];
      for (const round of [1, 2, 3]) {
        await scene.killAgent();
        {
          await using other = await PlainAcpRun.start(agent, scene.env, talk.directory, "listed");
          await other.prompt(`say: Elsewhere ${round}.`);
        }
        await talk.run(`say: Here ${round}.`);
        expected.push(said(`Elsewhere ${round}.`), said(`Here ${round}.`));
        expect(outline(talk.entries)).toEqual(expected.flat());
        expectSettled(talk);
      }
      await scene.killAgent();
      await talk.run("say: Nothing changed.");
      expect(outline(talk.entries)).toEqual([...expected, said("Nothing changed.")].flat());
      expect(textsBy(scene.model.requests.at(-1), "assistant")).toContain("Elsewhere 3.");
    },
  );

function said(text: string): readonly Line[] {
  return [
    ["user", `say: ${text}`],
    ["assistant", text],
  ];
}

for (const agent of REAL_AGENTS.filter(({ name }) => name === "codex"))
  test.skipIf(!agent.isInstalled)(
    `CV-2 (A3) a conversation that another ${agent.title} process holds is refused, and remembered once it is free`,
    async () => {
      await using scene = await openAgentScene(agent);
      const talk = await scene.newSession();
      await talk.run("say: The first answer.");
      await scene.killAgent();
      {
        await using _other = await PlainAcpRun.start(agent, scene.env, talk.directory, "listed");
        await talk.run("say: The second answer.");
        expect(talk.state.turn).toMatchObject({ stopReason: "error", error: { code: "AGENT_SESSION_REFUSED" } });
        expect(talk.state.turn.error?.message).toContain("in use by another Codex client");
        expectSettled(talk);
      }
      const { turnId } = talk.state.turn;
      await scene.client.ask("ok", { type: "session:retry", sessionId: talk.sessionId });
      await scene.client.untilState(
        talk.sessionId,
        "the end of the second try",
        ({ turn }) => turn.state === "idle" && turn.turnId !== turnId,
      );
      expect(talk.entries.at(-1)?.content).toBe("The second answer.");
      expect(textsBy(scene.model.requests.at(-1), "assistant")).toContain("The first answer.");
      expect(talk.entries.some(({ content }) => content.includes("afresh") && content.includes("memory of this"))).toBe(
        false,
      );
      expectSettled(talk);
    },
  );
