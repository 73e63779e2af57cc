import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { startModelServer } from "../agents/model-server/model-server.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "../cli/liminal.ts";
import { startTalk } from "../integration/talk.ts";
import type { Request } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { KEY } from "./model-env.ts";

const PRIVATE_MODE = 0o600;
const MODE_BITS = 0o777;

/** Every file of the data directory that holds the key; the server may make and remove others meanwhile. */
function filesWithKey({ dataDir }: Pick<TestServer, "dataDir">, folder = ""): readonly string[] {
  const entries = unlessGone(() => readdirSync(join(dataDir, folder), { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const name = join(folder, entry.name);
    if (entry.isDirectory()) return filesWithKey({ dataDir }, name);
    return entry.isFile() && unlessGone(() => readFileSync(join(dataDir, name)))?.includes(KEY) ? [name] : [];
  });
}

function unlessGone<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

test(
  "O-9 the model of the built-in agent is set, tested and removed by clients while it runs; its key is for its user and its host alone",
  async () => {
    await using model = startModelServer();
    model.listed.push({ id: "scripted-2" }, { id: "scripted-1", context_length: 32_000 });
    await using server = await startTestServer({ env: { OTHER_KEY: "other-key-1" } });
    const talk = await startTalk(server, "builtin");
    const { client } = talk;
    const file = join(server.dataDir, "builtin-model.json");
    const endpoint = { kind: "openai" as const, url: `${model.origin}/v1` };
    const typed = { ...endpoint, model: "scripted-1", key: { from: "typed" as const, value: KEY } };
    const kept = { ...typed, key: { from: "kept" as const } };
    const settingsOf = async () => (await client.ask("model:settings", { type: "model:get" })).settings;
    const nameOf = async () => {
      const { agents } = await client.ask("agent:list", { type: "agent:list" });
      return agents.find(({ id }) => id === "builtin")?.name;
    };

    expect([(await settingsOf()).source, await nameOf()]).toEqual(["none", "Liminal Guide"]);
    await talk.say("say: never");
    expect(talk.answer).toContain("have no model");

    // A draft is tested and listed before anything is stored.
    const tested = await client.ask("model:tested", { type: "model:test", draft: typed });
    expect(tested).toMatchObject({ ok: true, message: expect.stringMatching(/"scripted-1" at 127.* answered: “/) });
    const { models } = await client.ask("model:listed", { type: "model:list", ...endpoint, key: typed.key });
    expect(models).toEqual([{ name: "scripted-1", contextTokens: 32_000 }, { name: "scripted-2" }]);
    expect(existsSync(file)).toBe(false);

    await client.ask("model:settings", { type: "model:save", draft: typed });
    expect(await settingsOf()).toEqual({ source: "page", ...endpoint, model: "scripted-1", key: { from: "kept" } });
    expect(statSync(file).mode & MODE_BITS).toBe(PRIVATE_MODE);
    expect(await nameOf()).toBe("Liminal Orchestrator");
    // The session that is open, in the process that runs, uses it with its next message.
    await talk.say("say: With a model now.");
    expect(talk.answer).toEndWith("With a model now.");
    expect([...model.keys]).toEqual([`Bearer ${KEY}`]);

    // A stored key goes to no other host, and no secret of ours is a key.
    const refused = async (change: Partial<Extract<Request, { type: "model:save" }>["draft"]>) =>
      (await client.ask("error", { type: "model:save", draft: { ...typed, ...change } })).message;
    expect(await refused({ ...kept, url: "http://localhost:9/v1" })).toContain("The stored key is for 127.0.0.1");
    for (const name of ["NO_SUCH_KEY", "LIMINAL_TOKEN"])
      expect(await refused({ key: { from: "variable", name } })).toContain(`${name} is not set`);
    expect(await refused({ url: "ftp://x" })).toBe("Invalid request payload.");
    expect((await settingsOf()).key).toEqual({ from: "kept" });

    model.mishaps.push({ status: 401 });
    const unwell = await client.ask("model:tested", { type: "model:test" });
    expect(unwell).toMatchObject({ ok: false, message: expect.stringContaining("answered 401") });
    expect(unwell.fix).toBe("Check the key in Settings, Built-in agent.");

    // The command line sees and changes the same; it never prints the key.
    const shown = await liminal(server, ["model"]);
    expect(shown.stdout).toContain("works with scripted-1 at");
    const set = await liminalJson(server, [
      "model",
      "set",
      "scripted-2",
      "--key-from",
      "OTHER_KEY",
      "--context",
      "9000",
    ]);
    expect(set.value.settings).toMatchObject({
      model: "scripted-2",
      contextTokens: 9_000,
      key: { from: "variable", name: "OTHER_KEY", isSet: true },
    });
    expect((await liminalJson(server, ["model", "test"])).value.ok).toBe(true);
    expect([...model.keys]).toContain("Bearer other-key-1");
    expect((await liminal(server, ["model", "list"])).stdout).toBe("scripted-1\nscripted-2\n");
    expect((await liminal(server, ["model", "set", "m", "--key", "stdin"], { stdin: `${KEY}\n` })).code).toBe(0);

    expect(filesWithKey(server)).toEqual(["builtin-model.json"]);
    expect(JSON.stringify(client.received)).not.toContain(KEY);
    expect(server.log).not.toContain(KEY);
    expect((await liminal(server, ["model", "remove"])).code).toBe(0);
    expect([existsSync(file), await nameOf()]).toEqual([false, "Liminal Guide"]);
    await server.stop();
    expect(filesWithKey(server)).toEqual([]);
  },
  COMMANDS_TIMEOUT_MS,
);
