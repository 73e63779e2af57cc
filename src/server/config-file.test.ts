import { describe, expect, it } from "bun:test";
import { writeFile } from "node:fs/promises";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { loadConfigFile } from "./config-file.ts";

async function load(content: string | object) {
  await using dir = await tempDir();
  const path = dir.join("config.json");
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  const { problem, ...loaded } = loadConfigFile(path);
  return { ...loaded, problem: problem?.replace(path, "config.json") ?? null };
}

const NOTHING = {
  agents: [],
  builtinEnv: {},
  pool: { idleMs: 1_800_000, processesMax: 12 },
  mcpServers: [],
  orchestration: {
    offered: true,
    keepChildren: false,
    limits: { depthMax: 3, childrenMax: 10, runningMax: 5, budget: {} },
  },
  permissions: new Map(),
};

describe("loadConfigFile", () => {
  it("no file is no problem", async () => {
    await using dir = await tempDir();
    expect(loadConfigFile(dir.join("config.json"))).toEqual({ ...NOTHING, problem: null });
    expect(await load({})).toEqual({ ...NOTHING, problem: null });
  });

  it("an agent needs a name and a command; everything else has a default", async () => {
    const { agents, problem } = await load({
      agents: {
        plain: { name: "Plain", command: "plain" },
        "full-1": {
          name: "Full",
          command: "/opt/full agent",
          args: ["--acp", "two words"],
          env: { KEY: "value" },
          process: "per-session",
          retryMs: [0, 50],
        },
      },
    });
    expect(problem).toBeNull();
    expect(agents).toMatchObject([
      {
        id: "plain",
        command: ["plain"],
        env: {},
        process: "shared",
        retryDelaysMs: [1_000, 2_000, 4_000, 8_000, 16_000],
        serves: { fs: true, terminal: true },
      },
      {
        id: "full-1",
        name: "Full",
        command: ["/opt/full agent", "--acp", "two words"],
        env: { KEY: "value" },
        process: "per-session",
        retryDelaysMs: [0, 50],
        serves: { fs: true, terminal: true },
      },
    ]);
  });

  it("O-8 the built-in agent needs no command to be given a model; any other does", async () => {
    const env = { LIMINAL_MODEL: "m" };
    expect(await load({ agents: { builtin: { env } } })).toEqual({ ...NOTHING, builtinEnv: env, problem: null });
    expect((await load({ agents: { other: { env } } })).problem).toBe(
      "config.json: agents.other.name: an agent needs a name",
    );
    const own = await load({ agents: { builtin: { name: "Mine", command: "mine", env } } });
    expect(own.agents).toMatchObject([{ id: "builtin", command: ["mine"], env }]);
  });

  it("each limit of the pool can be set alone", async () => {
    expect((await load({ pool: { processesMax: 2 } })).pool).toEqual({ idleMs: 1_800_000, processesMax: 2 });
    expect((await load({ pool: { idleMs: 500 } })).pool).toEqual({ idleMs: 500, processesMax: 12 });
  });

  it("X-4 says what sessions of an agent start with; everything is allowed only where that was written down", async () => {
    const agent = { name: "A", command: "a" };
    const { permissions } = await load({ agents: { plain: agent, edits: { ...agent, permissions: "edits" } } });
    expect([...permissions].map(([id, mode]) => [String(id), mode])).toEqual([["edits", "edits"]]);
  });

  it("O-2 tool servers are named, and run or reached", async () => {
    const { mcpServers, problem } = await load({
      mcpServers: {
        files: { command: "/opt/files" },
        web: { url: "https://tools.example/mcp", headers: { A: "b" }, enabled: false },
      },
    });
    expect(problem).toBeNull();
    expect(mcpServers).toEqual([
      { name: "files", enabled: true, command: "/opt/files", args: [], env: {} },
      { name: "web", enabled: false, url: "https://tools.example/mcp", headers: { A: "b" } },
    ]);
    expect((await load({ mcpServers: { bad: { url: "javascript:x" } } })).problem).toContain("mcpServers.bad");
  });

  it("settings of a newer version are passed over", async () => {
    expect(await load({ mcpServers: {}, future: [1] })).toEqual({ ...NOTHING, problem: null });
  });

  it.each([
    ["agents.a.command", { agents: { a: { name: "A" } } }],
    ["agents.a.command", { agents: { a: { name: "A", command: "" } } }],
    ["agents.a.process", { agents: { a: { name: "A", command: "a", process: "both" } } }],
    ["agents.a.retryMs.0", { agents: { a: { name: "A", command: "a", retryMs: [60_000] } } }],
    ["agents.Not-An-Id", { agents: { "Not-An-Id": { name: "A", command: "a" } } }],
    ["agents.a.permissions", { agents: { a: { name: "A", command: "a", permissions: "everything" } } }],
    ["pool.processesMax", { pool: { processesMax: 0 } }],
  ])("a mistake is told with its place, %s, and nothing of the file is used", async (place, mistaken) => {
    const agents = { good: { name: "Good", command: "good" }, ...("agents" in mistaken && mistaken.agents) };
    const { problem, ...loaded } = await load({ ...mistaken, agents });
    expect(problem).toStartWith(`config.json: ${place}: `);
    expect(loaded).toEqual(NOTHING);
  });

  it("a file that is no JSON is told as well", async () => {
    const { problem, ...loaded } = await load("{ agents: ");
    expect(problem).toStartWith("config.json: ");
    expect(loaded).toEqual(NOTHING);
  });
});
