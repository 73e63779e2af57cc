import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { script, scriptedAgent } from "../integration/scripted-agent.ts";
import { startTalk } from "../integration/talk.ts";
import { bytesIfThere, filesIn } from "../support/files-in-use.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";

/** Made up, and unlike anything else; without a form that is known as a key's. */
const keyFor = (what: string) => `${what}0planted0${crypto.randomUUID().replaceAll("-", "")}`;
const KEYS = {
  inConfig: keyFor("config"),
  inVariable: keyFor("variable"),
  inFile: keyFor("file"),
  inHeader: keyFor("header"),
  ofTool: keyFor("tool"),
  ofModel: keyFor("model"),
};

/** Which of the keys stand in a file, as they are or in an encoding that hides nothing. */
function keysIn(path: string): string[] {
  const bytes = bytesIfThere(path);
  return Object.entries(KEYS).flatMap(([name, key]) => {
    const forms = [key, Buffer.from(key).toString("base64").replace(/=+$/, ""), Buffer.from(key).toString("hex")];
    return forms.some((form) => bytes?.includes(form)) ? [name] : [];
  });
}

test("[SC-41] keys of agents, tool servers and models are in no database and no log, whatever goes wrong with them", async () => {
  await using server = await startTestServer({
    env: { PLANTED_VARIABLE: KEYS.inVariable, LIMINAL_LOG_LEVEL: "debug" },
    prepare: (dataDir) => {
      const file = join(dataDir, "key.txt");
      writeFileSync(file, KEYS.inFile, { mode: 0o600 });
      const env = {
        PLANTED_API_KEY: KEYS.inConfig,
        OTHER_API_KEY: { fromEnv: "PLANTED_VARIABLE" },
        THIRD_API_KEY: { fromFile: file },
      };
      const config = {
        agents: {
          scripted: { ...scriptedAgent(), env },
          refusing: { ...scriptedAgent({ refuse: "session/new" }), env },
          dying: { ...scriptedAgent({ dieOn: "initialize" }), env, retryMs: [] },
          guide: { ...guideWith(), env },
        },
        mcpServers: {
          web: { url: "http://127.0.0.1:9/mcp", headers: { Authorization: `Bearer ${KEYS.inHeader}` } },
          files: { command: "/nowhere/at/all", args: [], env: { TOOL_API_KEY: KEYS.ofTool } },
        },
      };
      writeFileSync(join(dataDir, "config.json"), JSON.stringify(config));
    },
  });
  const talk = await startTalk(server, "scripted");
  const { client, projectId, sessionId } = talk;
  const draft = {
    kind: "openai",
    url: "http://127.0.0.1:9/v1",
    model: "m",
    key: { from: "typed", value: KEYS.ofModel },
  };
  await client.request({ type: "model:save", draft } as Parameters<typeof client.request>[0]);
  await client.request({ type: "model:test" });
  // The agents have them.
  await talk.say(
    script({ shell: 'test "$PLANTED_API_KEY$OTHER_API_KEY$THIRD_API_KEY" && touch has-keys' }, { end: "end_turn" }),
  );
  expect(readdirSync((await client.ask("project:list", { type: "project:list" })).projects[0]?.path ?? "")).toContain(
    "has-keys",
  );
  for (const cliType of ["refusing", "dying", "guide"])
    await client.request({ type: "session:create", projectId, cliType });
  await client.request({ type: "session:reconnect", cliType: "dying", restart: true });
  await talk.say(script({ fail: { code: -32000, message: "the key was not accepted" } }));
  const trace = await (await server.fetch(`/api/trace?sessionId=${encodeURIComponent(sessionId)}`)).text();
  expect(Object.values(KEYS).filter((key) => trace.includes(key))).toEqual([]);
  const shown = JSON.stringify([
    await client.request({ type: "settings:agents" }),
    await client.request({ type: "model:get" }),
    client.received,
  ]);
  expect(Object.values(KEYS).filter((key) => shown.includes(key))).toEqual([]);
  await server.stop();

  const files = filesIn(server.dataDir);
  // Where the user or the settings put them, and nowhere else.
  const own = ["config.json", "key.txt", "builtin-model.json"].map((name) => join(server.dataDir, name));
  expect(files.some((file) => file.endsWith(".db"))).toBe(true);
  expect(server.log).not.toBe("");
  expect(own.flatMap((file) => keysIn(file)).toSorted()).toEqual([
    "inConfig",
    "inFile",
    "inHeader",
    "ofModel",
    "ofTool",
  ]);
  expect(
    files.filter((file) => !own.includes(file)).flatMap((file) => keysIn(file).map((key) => `${key}: ${file}`)),
  ).toEqual([]);
  expect(Object.values(KEYS).filter((key) => server.log.includes(key))).toEqual([]);
});
