import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AgentScene, openAgentScene } from "./agent-scene.ts";
import { numberedWords } from "./model-server/script.ts";
import { expectSettled, outline } from "./outline.ts";
import { REAL_AGENTS } from "./real-agents.ts";

const MARKDOWN = ["# Plan", "", "Some **bold** text, `code`, and a list:", "", "1. first", "2. second"].join("\n");
const LONG_WORDS = 20_000;
/** One red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

for (const agent of REAL_AGENTS)
  describe(`turns of ${agent.title}`, () => {
    let scene: AgentScene;
    beforeAll(async () => {
      if (agent.isInstalled) scene = await openAgentScene(agent);
    });
    afterAll(async () => {
      await scene?.[Symbol.asyncDispose]();
    });
    const real = test.skipIf(!agent.isInstalled);

    real(`${agent.rule} a turn shows the user's words, the thinking and the streamed markdown, in order`, async () => {
      const talk = await scene.newSession();
      const prompt = `think: First I consider it.\nsay: ${MARKDOWN.replaceAll("\n", "\\n")}`;
      await talk.run(prompt);
      expect(outline(talk.entries)).toEqual([
        ["user", prompt],
        ["thinking", "First I consider it."],
        ["assistant", MARKDOWN],
      ]);
      expect(talk.state.turn.stopReason).toBe("end_turn");
      expectSettled(talk);
    });

    real("TC-3.2a an answer is there as far as the model got, while the model still works", async () => {
      const talk = await scene.newSession();
      await talk.send("say: The first half, ", `hold: ${talk.sessionId}`, "say: and the second.");
      await scene.model.untilHeld(talk.sessionId);
      const half = await scene.client.until("the first half", () =>
        talk.entries.find(({ type, content }) => type === "assistant" && content === "The first half, "),
      );
      expect(talk.state.turn.state).toBe("running");
      scene.model.release(talk.sessionId);
      await talk.untilEnded();
      expect(talk.entries.find(({ entryId }) => entryId === half.entryId)?.content).toBe(
        "The first half, and the second.",
      );
      expectSettled(talk);
    });

    real("X-1 a long answer arrives exactly as the model said it", async () => {
      const talk = await scene.newSession();
      await talk.run(`long: ${LONG_WORDS}`);
      const answers = talk.entries.filter(({ type }) => type === "assistant");
      expect(answers.map(({ content }) => content).join("")).toBe(numberedWords(LONG_WORDS));
      expectSettled(talk);
    });

    real("the model sees the earlier turns of the same session", async () => {
      const talk = await scene.newSession();
      await talk.run("say: A first answer.");
      await talk.run("say: A second answer.");
      // The first that has the second message: an agent may ask again about a turn that is over, for a title say.
      const isSecond = ({ texts }: { readonly texts: readonly string[] }) =>
        texts.some((text) => text.includes("say: A second answer."));
      const { said = [] } = scene.model.requests.find(({ said }) => said.some(isSecond)) ?? {};
      const shown = said.filter(({ by }) => by === "assistant").flatMap(({ texts }) => texts);
      expect(shown).toEqual(["A first answer."]);
      expectSettled(talk);
    });

    real("TC-5.1b W-1 two sessions work at the same time in one process, each with its own words", async () => {
      const [one, other] = [await scene.newSession(), await scene.newSession()];
      await one.send("say: I am one.", `hold: ${one.sessionId}`, "say:  Still one.");
      await scene.model.untilHeld(one.sessionId);
      await other.send("say: I am the other.", `hold: ${other.sessionId}`, "say:  Still the other.");
      await scene.model.untilHeld(other.sessionId);
      scene.model.release(other.sessionId);
      await other.untilEnded();
      expect(one.state.turn.state).toBe("running");
      scene.model.release(one.sessionId);
      await one.untilEnded();
      expect(one.entries.at(-1)?.content).toBe("I am one. Still one.");
      expect(other.entries.at(-1)?.content).toBe("I am the other. Still the other.");
      for (const talk of [one, other]) expectSettled(talk);
      expect((await scene.agentStatus()).restarts).toBe(0);
    });

    real("X-7 an image that goes with a message reaches the model and stays with the message", async () => {
      const talk = await scene.newSession();
      await talk.run("say: Show me.");
      const image = { type: "image" as const, mimeType: "image/png", data: PNG };
      await talk.sendWith([image], "say: I see it.");
      await talk.untilEnded();
      expect(
        scene.model.requests
          .at(-1)
          ?.said.map(({ images }) => images)
          .filter(Boolean),
      ).toEqual([1]);
      const message = talk.entries.findLast(({ type }) => type === "user");
      expect(message).toMatchObject({ content: "say: I see it.", attachments: [image] });
      expect(talk.entries.at(-1)?.content).toBe("I see it.");
      expectSettled(talk);
    });

    real("X-6 a message sent during a turn waits for its own", async () => {
      const talk = await scene.newSession();
      await talk.send("say: First.", `hold: ${talk.sessionId}`);
      await scene.model.untilHeld(talk.sessionId);
      await talk.send("say: Second.");
      const { queue } = await scene.client.untilState(talk.sessionId, "the queue", (state) => state.queue.length > 0);
      expect(queue.map(({ content }) => content)).toEqual(["say: Second."]);
      scene.model.release(talk.sessionId);
      await scene.client.untilState(talk.sessionId, "the second turn's end", ({ queue, turn, settled }) => {
        return queue.length === 0 && turn.state === "idle" && settled.at(-1)?.content === "Second.";
      });
      expect(outline(talk.entries).map(([, text]) => text.split("\n")[0])).toEqual([
        "say: First.",
        "First.",
        "say: Second.",
        "Second.",
      ]);
      expectSettled(talk);
    });

    real("W-12 what the agent says between turns is kept and ends no later turn", async () => {
      const talk = await scene.newSession();
      await talk.run("say: Hello.");
      await scene.client.untilState(talk.sessionId, "the agent's title", ({ titleSource }) => titleSource === "agent");
      await talk.run("say: Hello again.");
      expect(outline(talk.entries).filter(([type]) => type === "assistant")).toEqual([
        ["assistant", "Hello."],
        ["assistant", "Hello again."],
      ]);
      expectSettled(talk);
    });

    real("X-7 the agent's own choices, commands and use of the context are shown", async () => {
      const talk = await scene.newSession();
      await talk.run("say: Hello.");
      const { options, commands, usage } = (
        await scene.client.untilState(talk.sessionId, "commands and usage", ({ config }) => {
          return config.commands.length > 0 && config.usage !== null;
        })
      ).config;
      expect(options.map(({ category }) => category)).toContain("mode");
      expect(options.map(({ category }) => category)).toContain("model");
      expect(commands.every(({ name }) => name !== "")).toBe(true);
      expect(usage?.size).toBeGreaterThan(usage?.used ?? 0);
    });
  });
