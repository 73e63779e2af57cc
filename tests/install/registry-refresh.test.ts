import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { AgentRegistry } from "../../src/agents/catalog/agent-registry.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";

const HOUR_MS = 60 * 60 * 1_000;
const START = Date.parse("2027-01-01");

const GEMINI = {
  id: "gemini",
  name: "Gemini CLI",
  version: "9.0.0",
  description: "Newer.",
  programs: ["sh"],
  authors: ["Google"],
  distribution: { npx: { package: "@google/gemini-cli@9.0.0", args: ["--acp"] } },
};

/** A registry on loopback, and ours that asks it. */
class RefreshScene implements AsyncDisposable {
  answer: () => Response | Promise<Response> = () => Response.json({ version: "1.0.0", agents: [GEMINI] });
  asked = 0;
  now = START;
  readonly told: string[] = [];
  readonly cacheFile: string;
  readonly #dir: TempDir;
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      this.asked += 1;
      return this.answer();
    },
  });

  private constructor(dir: TempDir) {
    this.#dir = dir;
    this.cacheFile = dir.join("agents", "registry.json");
  }

  static async open(): Promise<RefreshScene> {
    return new RefreshScene(await tempDir());
  }

  registry(url: string | null = `http://127.0.0.1:${this.#server.port}/registry.json`): AgentRegistry {
    const world = { now: () => this.now, newId: () => "one" };
    return new AgentRegistry({ world, cacheFile: this.cacheFile, url, info: (text) => this.told.push(text) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
    await this.#dir[Symbol.asyncDispose]();
  }
}

function versionOf(registry: AgentRegistry, id: string): string | undefined {
  return registry.entries().find((entry) => entry.id === id)?.version;
}

test("X-5 the registry is asked only when someone refreshes, at most once a day, and kept over restarts", async () => {
  await using scene = await RefreshScene.open();
  const registry = scene.registry();
  expect(versionOf(registry, "gemini")).toBe("0.56.0");
  expect(scene.asked).toBe(0);
  expect(await Promise.all([registry.refresh(), registry.refresh()])).toEqual([true, true]);
  expect(versionOf(registry, "gemini")).toBe("9.0.0");
  scene.now += 23 * HOUR_MS;
  expect(await registry.refresh()).toBe(false);
  const restarted = scene.registry();
  expect(versionOf(restarted, "gemini")).toBe("9.0.0");
  expect(await restarted.refresh()).toBe(false);
  expect(scene.asked).toBe(1);
  scene.now += 2 * HOUR_MS;
  expect(await restarted.refresh()).toBe(false);
  expect(scene.asked).toBe(2);
  expect(scene.told).toEqual([]);
});

test("X-5 what the registry left out stays known, and which program runs is never the network's choice", async () => {
  await using scene = await RefreshScene.open();
  const registry = scene.registry();
  await registry.refresh();
  expect(registry.entries().find(({ id }) => id === "gemini")?.programs).toEqual(["gemini"]);
  expect(versionOf(registry, "claude-acp")).toBe("0.85.1");
});

test("X-5 an entry that does not validate costs only itself", async () => {
  await using scene = await RefreshScene.open();
  scene.answer = () => Response.json({ agents: [{ id: "BAD ID" }, { ...GEMINI, id: "fresh" }, 7] });
  const registry = scene.registry();
  expect(await registry.refresh()).toBe(true);
  expect(versionOf(registry, "fresh")).toBe("9.0.0");
});

test.each([
  ["an error", () => new Response("gone", { status: 503 }), "it returned 503"],
  ["no JSON", () => new Response("<html>"), "JSON"],
  ["no registry", () => Response.json({ hello: 1 }), "no agents"],
  ["too much", () => new Response(" ".repeat(5 * 1024 * 1024)), "larger than"],
])("X-5 %s in place of the registry leaves the known list, with one line in the log", async (_what, answer, reason) => {
  await using scene = await RefreshScene.open();
  scene.answer = answer;
  const registry = scene.registry();
  expect(await registry.refresh()).toBe(false);
  expect(await registry.refresh()).toBe(false);
  expect(scene.told).toHaveLength(1);
  expect(scene.told[0]).toContain(reason);
  expect(scene.asked).toBe(1);
  expect(versionOf(registry, "gemini")).toBe("0.56.0");
  expect(existsSync(scene.cacheFile)).toBe(false);
});

test("X-5 after a failure it is asked again an hour later", async () => {
  await using scene = await RefreshScene.open();
  const { answer } = scene;
  scene.answer = () => new Response("", { status: 500 });
  const registry = scene.registry();
  await registry.refresh();
  scene.answer = answer;
  scene.now += HOUR_MS;
  expect(await registry.refresh()).toBe(true);
});

test("X-5 without a network, and when switched off, the bundled list serves", async () => {
  await using scene = await RefreshScene.open();
  const offline = scene.registry("http://127.0.0.1:9/");
  expect(await offline.refresh()).toBe(false);
  expect(scene.told).toHaveLength(1);
  const off = scene.registry(null);
  expect(await off.refresh()).toBe(false);
  expect(scene.told).toHaveLength(1);
  expect(off.entries().length).toBeGreaterThan(30);
});

test("X-5 a kept list that cannot be read, or is older than the bundled one, is not used", async () => {
  await using scene = await RefreshScene.open();
  await scene.registry().refresh();
  const kept = await Bun.file(scene.cacheFile).text();
  await writeFile(scene.cacheFile, kept.replace(/"fetchedAt":"[^"]*"/, '"fetchedAt":"2020-01-01T00:00:00.000Z"'));
  expect(versionOf(scene.registry(), "gemini")).toBe("0.56.0");
  await writeFile(scene.cacheFile, "{ cut of");
  expect(versionOf(scene.registry(), "gemini")).toBe("0.56.0");
  expect(scene.told).toHaveLength(1);
});
