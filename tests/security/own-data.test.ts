import { expect, test } from "bun:test";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { script, scriptedAgent } from "../integration/scripted-agent.ts";
import { anotherTalk } from "../integration/talk.ts";
import { startTestServer } from "../support/test-server.ts";

test("W-10 an agent that works in a directory around our own reads and writes nothing of ours through us", async () => {
  await using server = await startTestServer({ agents: { misled: { ...scriptedAgent(), fs: true } } });
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path: dirname(server.dataDir) });
  const talk = await anotherTalk(client, project.id, "misled");
  const [token, config, planted] = ["token", "config.json", "held/planted"].map((name) => join(server.dataDir, name));
  const before = await readFile(config ?? "", "utf8");
  await talk.say(
    script(
      { ask: { id: "1", method: "fs/read_text_file", params: { path: token } } },
      { ask: { id: "2", method: "fs/write_text_file", params: { path: config, content: "{}" } } },
      { ask: { id: "3", method: "fs/write_text_file", params: { path: planted, content: "x" } } },
      { ask: { id: "4", method: "fs/read_text_file", params: { path: join(server.home, "none") } } },
      { end: "end_turn" },
    ),
  );
  expect(talk.answer).not.toContain(server.token);
  expect(talk.answer.split("belongs to Liminal Builder itself")).toHaveLength(4);
  expect(talk.answer).toContain("does not exist");
  expect(await readFile(config ?? "", "utf8")).toBe(before);
  await expect(stat(planted ?? "")).rejects.toThrow();
});
