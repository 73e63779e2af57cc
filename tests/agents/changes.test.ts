import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChangesEntry } from "../../src/protocol/entry.ts";
import { type AgentScene, type AgentTalk, EDITED_FILE, EDITED_TEXT, openAgentScene } from "./agent-scene.ts";
import { REAL_AGENTS } from "./real-agents.ts";

const EDITED = EDITED_TEXT.replace("line two", "line 2");
const MADE_FILE = "made-by-shell.txt";

const untilChanges = (talk: AgentTalk): Promise<ChangesEntry> =>
  talk.scene.client.until("the line of changes", () => talk.changes[0]);

for (const agent of REAL_AGENTS)
  describe(`what ${agent.title} changes`, () => {
    let scene: AgentScene;
    beforeAll(async () => {
      if (agent.isInstalled)
        scene = await openAgentScene(agent, { agents: { [agent.cliType]: { permissions: "all" } } });
    });
    afterAll(async () => {
      await scene?.[Symbol.asyncDispose]();
    });
    const real = test.skipIf(!agent.isInstalled);

    real("[WS-1] [WS-15] an edit by tool and one by shell are both listed, and a restore takes both back", async () => {
      const talk = await scene.newSession();
      const { client, model } = scene;
      const { sessionId } = talk;
      const made = join(talk.directory, MADE_FILE);
      await talk.run(
        agent.edit(talk.file, "line two", "line 2"),
        agent.shell(`printf 'made\n' > ${MADE_FILE}`),
        "say: Both done.",
      );
      expect(await readFile(talk.file, "utf8")).toBe(EDITED);
      expect(await readFile(made, "utf8")).toBe("made\n");
      const changes = await untilChanges(talk);
      expect(changes.files.map(({ path, status }) => [path, status])).toEqual([
        [EDITED_FILE, "modified"],
        [MADE_FILE, "added"],
      ]);
      const checkpointId = changes.before;
      const preview = await client.ask("checkpoint:preview", { type: "checkpoint:preview", sessionId, checkpointId });
      expect(preview.own.map(({ path }) => path)).toEqual([EDITED_FILE, MADE_FILE]);
      const { version } = preview;
      await client.ask("checkpoint:restored", { type: "checkpoint:restore", sessionId, checkpointId, expect: version });
      expect(await readFile(talk.file, "utf8")).toBe(EDITED_TEXT);
      expect(existsSync(made)).toBe(false);
      await talk.run("say: I know.");
      expect(JSON.stringify(model.requests.at(-1))).toContain("The user restored these files");
    });
  });
