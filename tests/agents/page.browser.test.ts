import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type SessionView, textIn } from "../e2e/session-view.ts";
import { useChromium } from "../e2e/use-chromium.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { waitFor } from "../support/wait-for.ts";
import { type AgentScene, EDITED_FILE, EDITED_TEXT, openAgentScene } from "./agent-scene.ts";
import { GATE, gated } from "./gated-command.ts";
import { REAL_AGENTS } from "./real-agents.ts";

const chromium = useChromium();
const COMMAND = gated("printf 'one\\ntwo\\n'");

for (const agent of REAL_AGENTS)
  describe(`the page with ${agent.title}`, () => {
    let scene: AgentScene;
    beforeAll(async () => {
      if (agent.isInstalled) scene = await openAgentScene(agent);
    });
    afterAll(async () => {
      await scene?.[Symbol.asyncDispose]();
    });
    const real = test.skipIf(!agent.isInstalled);

    async function openSession(name: string) {
      const app = await chromium.open(scene.server);
      const path = await scene.server.directory(name);
      await writeFile(join(path, EDITED_FILE), EDITED_TEXT);
      await app.addProject(path);
      const session = await app.newSession(name, agent.title);
      return { app, session, path, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
    }

    real(`${agent.rule} a whole turn: thinking, markdown as it streams, a command with its output`, async () => {
      await using chat = await openSession("whole-turn");
      const { app, session, path } = chat;
      await session.say(
        [
          "think: First I consider it.",
          "say: # The plan\\n\\nSome **bold** words",
          "hold: page",
          "say:  and `code`.",
          agent.shell(COMMAND),
          "say: It ran.",
        ].join("\n"),
      );
      await session.entries("assistant").getByRole("heading", { name: "The plan" }).waitFor();
      await session.entries("assistant").locator("strong", { hasText: "bold" }).waitFor();
      await expectSoon(() => session.cancel.isVisible()).toBe(true);
      scene.model.release("page");
      await session.entries("assistant").locator("code", { hasText: "code" }).waitFor();
      const tool = session.entries("tool-call");
      await untilToolStatus(session, "running");
      await writeFile(join(path, GATE), "");
      await untilToolStatus(session, "complete");
      await session.untilSaid("It ran.");
      await session.untilIdle();
      await tool.getByRole("button", { expanded: false }).click();
      await expectSoon(() => textIn(tool)).toContain("one\ntwo");
      const thinking = session.entries("thinking");
      await thinking.getByRole("button", { expanded: false }).click();
      await expectSoon(() => textIn(thinking)).toContain("First I consider it.");
      // The test's gate is a new file in the project, so a line about it follows.
      await session.entries("changes").waitFor();
      const types = ["user", "thinking", "assistant", "tool-call", "assistant", "changes"];
      await expectSoon(() => entryTypes(session)).toEqual(types);
      await app.tab("Scripted title").waitFor();
      await app.refresh();
      const again = await app.shownSession();
      await again.untilSaid("It ran.");
      await expectSoon(() => entryTypes(again)).toEqual(types);
    });

    real(`${agent.rule} W-8 an edit is asked for with its diff, allowed by a click, and made`, async () => {
      await using chat = await openSession("asked-edit");
      const { session, path } = chat;
      if (agent.askingMode !== null) {
        await session.ask("say: Hello.", "Hello.");
        const configured = await scene.client.request({
          type: "session:configure",
          sessionId: session.id,
          configId: "mode",
          value: agent.askingMode,
        });
        expect(configured.type).toBe("session:config");
      }
      const file = join(path, EDITED_FILE);
      await session.say([agent.edit(file, "line two", "line 2"), "say: Edited."].join("\n"));
      await session.permission.waitFor();
      await waitFor(
        () => textIn(session.permission),
        (asked) => asked.includes("line two") && asked.includes("line 2"),
        "the change that is asked for",
      );
      expect(await readFile(file, "utf8")).toBe(EDITED_TEXT);
      await session.permission.getByRole("button", { name: /^Yes/ }).first().click();
      await session.untilSaid("Edited.");
      await session.untilIdle();
      await expectSoon(() => session.permission.count()).toBe(0);
      expect(await readFile(file, "utf8")).toBe(EDITED_TEXT.replace("line two", "line 2"));
    });

    real("TC-3.7b Cancel stops the model, keeps what was said and frees the composer", async () => {
      await using chat = await openSession("cancelled");
      const { session } = chat;
      await session.say("say: Half an answer\nhold: cancelled\nsay: never said");
      await session.untilSaid("Half an answer");
      await session.cancel.click();
      await session.untilIdle();
      await scene.model.untilAbandoned("cancelled");
      await session.ask("say: Still here.", "Still here.");
      expect(await session.texts("assistant")).toEqual(["Half an answer", "Still here."]);
    });
  });

async function untilToolStatus(session: SessionView, status: string): Promise<void> {
  await waitFor(
    () => session.entries("tool-call").getAttribute("data-status"),
    (seen) => seen === status,
    `the command to be ${status}`,
  );
}

function entryTypes(session: SessionView): Promise<(string | null)[]> {
  return session.transcript
    .locator("article[data-entry-id]")
    .evaluateAll((all) => all.map((one) => one.getAttribute("data-entry-type")));
}
