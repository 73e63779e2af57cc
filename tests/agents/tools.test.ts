import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentScene, EDITED_TEXT, openAgentScene } from "./agent-scene.ts";
import { gated, openGate } from "./gated-command.ts";
import { textsBy } from "./model-server/model-request.ts";
import { expectSettled, outline } from "./outline.ts";
import { REAL_AGENTS } from "./real-agents.ts";

const EDITED = EDITED_TEXT.replace("line two", "line 2");
/** What each agent offers, in its own order (W-8). */
const EDIT_OPTIONS = {
  claude: ["allow_once", "allow_always", "reject_once"],
  codex: ["allow_once", "allow_always", "reject_once"],
};

for (const agent of REAL_AGENTS)
  describe(`tools of ${agent.title}`, () => {
    let scene: AgentScene;
    beforeAll(async () => {
      if (agent.isInstalled) scene = await openAgentScene(agent);
    });
    afterAll(async () => {
      await scene?.[Symbol.asyncDispose]();
    });
    const real = test.skipIf(!agent.isInstalled);

    real(`${agent.rule} TC-3.3a TC-3.3b a command shows as running, then its output, between the texts`, async () => {
      const talk = await scene.newSession();
      const command = gated("printf 'one\\ntwo\\nthree\\n'");
      await talk.send("say: Let me run it.", agent.shell(command), "say: It ran.");
      const running = await talk.untilTool("the running command", ({ name }) => name === command);
      expect(running).toMatchObject({ status: "running", kind: "execute", input: { command } });
      await openGate(talk);
      await talk.untilEnded();
      expect(outline(talk.entries).slice(1)).toEqual([
        ["assistant", "Let me run it."],
        ["tool-call", command, "complete"],
        ["assistant", "It ran."],
      ]);
      const [tool] = talk.tools;
      expect(tool?.entryId).toBe(running.entryId);
      expect(tool?.result?.trimEnd()).toBe("one\ntwo\nthree");
      expect(tool?.parts).toBeUndefined();
      expect(scene.model.requests.flatMap((request) => textsBy(request, "tool")).join()).toContain("one\ntwo\nthree");
      expectSettled(talk);
    });

    real("TC-3.3c a command that fails shows its output as the error", async () => {
      const talk = await scene.newSession();
      await talk.send(agent.shell(gated("echo some words; false")), "say: It failed.");
      await talk.untilTool("the command", ({ status }) => status === "running");
      await openGate(talk);
      await talk.untilEnded();
      const [tool] = talk.tools;
      expect(tool?.status).toBe("error");
      expect(tool?.error).toContain("some words");
      expect(talk.entries.at(-1)?.content).toBe("It failed.");
      expectSettled(talk);
    });

    real("TC-3.3c a command that fails without a word shows its exit code", async () => {
      const talk = await scene.newSession();
      await talk.send(agent.shell(gated("false")), "say: It failed.");
      await talk.untilTool("the command", ({ status }) => status === "running");
      await openGate(talk);
      await talk.untilEnded();
      expect(talk.tools.map(({ status, error }) => [status, error])).toEqual([["error", "Exit code 1"]]);
      expectSettled(talk);
    });

    real(
      `${agent.rule} W-8 an allowed edit asks with the agent's own options, shows its diff and is made`,
      async () => {
        const talk = await scene.newSession();
        await talk.askFirst();
        await talk.send(agent.edit(talk.file, "line two", "line 2"), "say: Edited.");
        const asked = await talk.untilAsked();
        expect(talk.state.turn.state).toBe("waiting");
        expect(asked.options.map(({ kind }) => kind)).toEqual(EDIT_OPTIONS[agent.name]);
        expect(asked.toolCall.parts).toMatchObject([{ type: "diff", path: talk.file }]);
        await talk.answer(asked, "allow_once");
        await talk.untilEnded();
        const edit = talk.tools.at(-1);
        expect(edit).toMatchObject({ kind: "edit", status: "complete", toolCallId: asked.toolCall.toolCallId });
        expect(edit?.parts).toEqual([
          { type: "diff", path: talk.file, oldText: expect.any(String), newText: expect.any(String), firstLine: 1 },
        ]);
        const [diff] = edit?.parts ?? [];
        if (diff?.type !== "diff") throw new Error("no diff");
        expect([diff.oldText?.trimEnd(), diff.newText.trimEnd()]).toEqual([EDITED_TEXT.trimEnd(), EDITED.trimEnd()]);
        expect(await readFile(talk.file, "utf8")).toBe(EDITED);
        expect(talk.entries.at(-1)?.content).toBe("Edited.");
        expectSettled(talk);
      },
    );

    real("W-8 a rejected edit changes nothing, is not left running, and the session goes on", async () => {
      const talk = await scene.newSession();
      await talk.askFirst();
      await talk.send(agent.edit(talk.file, "line two", "line 2"), "say: Not edited.");
      await talk.answer(await talk.untilAsked(), "reject_once");
      await talk.untilEnded();
      expect(talk.tools.at(-1)).toMatchObject({
        kind: "edit",
        status: agent.name === "claude" ? "error" : "cancelled",
      });
      expect(await readFile(talk.file, "utf8")).toBe(EDITED_TEXT);
      expectSettled(talk);
      await talk.run("say: Still here.");
      expect(talk.entries.at(-1)?.content).toBe("Still here.");
      expectSettled(talk);
    });

    real("W-8 a command that needs a permission waits for it, and runs once it has it", async () => {
      const talk = await scene.newSession();
      await talk.askFirst();
      const made = join(talk.directory, "made");
      await talk.send(agent.shellWithQuestion(`touch ${made}`), "say: Made.");
      const asked = await talk.untilAsked();
      expect(asked.toolCall).toMatchObject({ kind: "execute", name: `touch ${made}` });
      expect(existsSync(made)).toBe(false);
      await talk.answer(asked, "allow_once");
      await talk.untilEnded();
      expect(existsSync(made)).toBe(true);
      expect(outline(talk.entries).slice(1)).toEqual([
        ["tool-call", `touch ${made}`, "complete"],
        ["assistant", "Made."],
      ]);
      expectSettled(talk);
    });

    real("X-7 in a mode that needs no question the edit is made without one", async () => {
      const talk = await scene.newSession();
      await talk.configure("mode", agent.editingMode);
      await talk.run(agent.edit(talk.file, "line two", "line 2"), "say: Edited.");
      expect(scene.client.all("permission:request").filter((asked) => asked.sessionId === talk.sessionId)).toEqual([]);
      expect(await readFile(talk.file, "utf8")).toBe(EDITED);
      expect(talk.tools.at(-1)).toMatchObject({ kind: "edit", status: "complete" });
      expectSettled(talk);
    });

    real("a tool the agent does not have breaks nothing", async () => {
      const talk = await scene.newSession();
      await talk.run('tool: no_such_tool {"a":1}', "say: Then without it.");
      expect(talk.entries.at(-1)?.content).toBe("Then without it.");
      expect(talk.tools.filter(({ status }) => status === "complete")).toEqual([]);
      expectSettled(talk);
    });
  });
