import { describe, expect, it } from "bun:test";
import { writeFile } from "node:fs/promises";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { loadConfigFile } from "./config-file.ts";

async function load(content: string | object) {
  await using dir = await tempDir();
  const path = dir.join("config.json");
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  const { problems, ...loaded } = loadConfigFile(path);
  return { ...loaded, problems: problems.map((problem) => problem.replaceAll(path, "config.json")) };
}

const NOTHING = {
  agents: [],
  overlays: [],
  builtinEnv: {},
  pool: { idleMs: 1_800_000, processesMax: 12 },
  mcpServers: [],
  orchestration: {
    offered: true,
    keepChildren: false,
    limits: { depthMax: 3, childrenMax: 10, runningMax: 5, budget: {} },
    silentWaitMs: 50_000,
    progressEveryMs: 10_000,
  },
  permissions: new Map(),
};

describe("loadConfigFile", () => {
  it("no file is no problem", async () => {
    await using dir = await tempDir();
    expect(loadConfigFile(dir.join("config.json"))).toEqual({ ...NOTHING, problems: [] });
    expect(await load({})).toEqual({ ...NOTHING, problems: [] });
  });

  it("an agent needs a name and a command; everything else has a default", async () => {
    const { agents, problems } = await load({
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
    expect(problems).toEqual([]);
    expect(agents).toMatchObject([
      {
        id: "plain",
        command: ["plain"],
        env: {},
        process: "per-session",
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

  it("O-8 the built-in agent needs no command to be given a model", async () => {
    const env = { LIMINAL_MODEL: "m" };
    expect(await load({ agents: { builtin: { env } } })).toMatchObject({ builtinEnv: env, agents: [], problems: [] });
    const own = await load({ agents: { builtin: { name: "Mine", command: "mine", env } } });
    expect(own.agents).toMatchObject([{ id: "builtin", command: ["mine"], env }]);
  });

  it("X-4 a setting without a command changes an agent of the catalog (A16)", async () => {
    const env = { A: "b" };
    const given = { agents: { "claude-code": { permissions: "all" }, codex: { env, args: ["-x"], fs: false } } };
    const { overlays, permissions, agents, problems } = await load(given);
    expect(problems).toEqual([]);
    expect(agents).toEqual([]);
    expect(overlays).toMatchObject([{ id: "claude-code" }, { id: "codex", env, args: ["-x"], serves: { fs: false } }]);
    expect([...permissions].map(([id, mode]) => [String(id), mode])).toEqual([["claude-code", "all"]]);
  });

  it("an agent that the catalog does not have needs a name and a command (A16)", async () => {
    const { agents, problems } = await load({ agents: { other: { env: {} } } });
    expect(problems[0]).toStartWith(
      'config.json, line 1: agents.other.name: the catalog has no agent "other", so name is required.',
    );
    expect(agents).toMatchObject([
      { id: "other", command: null, installHint: expect.stringContaining("agents.other") },
    ]);
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
    const { mcpServers, problems } = await load({
      mcpServers: {
        files: { command: "/opt/files" },
        web: { url: "https://tools.example/mcp", headers: { A: "b" }, enabled: false },
      },
    });
    expect(problems).toEqual([]);
    expect(mcpServers).toEqual([
      { name: "files", enabled: true, command: "/opt/files", args: [], env: {} },
      { name: "web", enabled: false, url: "https://tools.example/mcp", headers: { A: "b" } },
    ]);
    const bad = await load({ mcpServers: { bad: { url: "javascript:x" }, good: { command: "good" } } });
    expect(bad.problems.join()).toContain("mcpServers.bad");
    expect(bad.mcpServers).toMatchObject([{ name: "good" }]);
  });

  it("settings of a newer version are passed over", async () => {
    expect(await load({ mcpServers: {}, future: [1] })).toEqual({ ...NOTHING, problems: [] });
  });

  const GOOD = {
    agents: { good: { name: "Good", command: "good", permissions: "edits" } },
    pool: { idleMs: 500, processesMax: 2 },
    mcpServers: { files: { command: "files" } },
    orchestration: { childrenMax: 2, budget: { cost: 5 } },
  };
  const STRICT = { depthMax: 1, childrenMax: 1, runningMax: 1, budget: { turns: 1 } };

  it.each([
    ["agents.a.command", { agents: { a: { name: "A" } } }],
    ["agents.a.command", { agents: { a: { name: "A", command: "" } } }],
    ["agents.a.process", { agents: { a: { name: "A", command: "a", process: "both" } } }],
    ["agents.a.retryMs.0", { agents: { a: { name: "A", command: "a", retryMs: [60_000] } } }],
    ["agents.Not-An-Id", { agents: { "Not-An-Id": { name: "A", command: "a" } } }],
    ["agents.a.permissions", { agents: { a: { name: "A", command: "a", permissions: "everything" } } }],
    ["agents.a.permisions", { agents: { a: { name: "A", command: "a", permisions: "all" } } }],
    ["agents.a.env.KEY", { agents: { a: { name: "A", command: "a", env: { KEY: 1 } } } }],
    ["agents.a", { agents: { a: "a" } }],
    ["mcpServers.bad", { mcpServers: { ...GOOD.mcpServers, bad: {} } }],
  ])("X-4 a mistake in %s is reported with its line, and everything else is used (A16)", async (place, mistaken) => {
    const agents = { ...GOOD.agents, ...("agents" in mistaken && mistaken.agents) };
    const text = JSON.stringify({ ...GOOD, ...mistaken, agents }, null, 2);
    const line = text
      .split("\n")
      .findIndex((one) => one.includes(`"${place.split(".")[place.includes("env") ? 3 : 1]}"`));
    const { problems, ...loaded } = await load(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^config\\.json, line \\d+: ${place.replaceAll(".", "\\.")}: .+`));
    const told = Number(/line (\d+)/.exec(problems[0] ?? "")?.[1]);
    expect(told).toBeGreaterThanOrEqual(line + 1);
    expect(loaded.agents[0]).toMatchObject({ id: "good", command: ["good"] });
    expect([...loaded.permissions.values()]).toEqual(["edits"]);
    expect(loaded.pool).toEqual(GOOD.pool);
    expect(loaded.orchestration.limits).toMatchObject(GOOD.orchestration);
    expect(loaded.mcpServers).toHaveLength(1);
    // Careful where the user's wish is not known.
    for (const { process, command } of loaded.agents.slice(1))
      expect(command === null || process === "per-session" || /retry|perm/.test(place)).toBeTrue();
  });

  it.each([
    ["childrenMax", { childrenMax: "2" }, { childrenMax: 1 }],
    ["depthMax", { depthMax: 99 }, { depthMax: 1 }],
    ["runningMax", { runningMax: null }, { runningMax: 1 }],
    ["runningMx", { runningMx: 2 }, { runningMax: 1 }],
    ["budget.cost", { budget: { cost: "5" } }, { budget: { turns: 1 } }],
    ["budget.costs", { budget: { costs: 5 } }, { budget: { turns: 1 } }],
    ["buget", { buget: { cost: 5 } }, { budget: { turns: 1 } }],
  ])(
    "O-7 a limit that cannot be read, orchestration.%s, is the strict one; the others stay (A16)",
    async (place, given, limits) => {
      const { problems, orchestration, agents } = await load({ ...GOOD, orchestration: { depthMax: 2, ...given } });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(`orchestration.${place}`);
      expect(orchestration.limits).toEqual({ depthMax: 2, childrenMax: 10, runningMax: 5, budget: {}, ...limits });
      expect(agents).toHaveLength(1);
    },
  );

  it("a section of the wrong kind or with a misspelled name is the strict one (A16)", async () => {
    const wrong = await load({ ...GOOD, orchestration: "off", pool: [] });
    expect(wrong.problems).toHaveLength(2);
    expect(wrong.orchestration).toEqual({
      offered: false,
      keepChildren: false,
      limits: STRICT,
      silentWaitMs: 50_000,
      progressEveryMs: 10_000,
    });
    expect(wrong.pool).toEqual({ idleMs: 60_000, processesMax: 4 });
    const { orchestration: misspelled, ...rest } = GOOD;
    const loaded = await load({ ...rest, orchestraton: misspelled });
    expect(loaded.problems.join()).toContain('Did you mean "orchestration"?');
    expect(loaded.orchestration.limits).toEqual(STRICT);
    expect(loaded.pool).toEqual(GOOD.pool);
  });

  it.each([
    ["a comma is missing", '"idleMs": 500,', '"idleMs": 500'],
    ["a quote is missing", '"name": "Good"', '"name": "Good'],
    ["a colon is missing", '"command": "files"', '"command" "files"'],
    ["a word has no quotes", '"command": "files"', '"command": files'],
    ["a value is missing", '"processesMax": 2', '"processesMax": '],
    ["a name has no quotes", '"processesMax": 2', "processesMax: 2"],
  ])(
    "text that is no JSON because %s is reported with its line, and the rest is used (A16)",
    async (_, right, wrong) => {
      const text = JSON.stringify(GOOD, null, 2);
      const line = text.slice(0, text.indexOf(right)).split("\n").length;
      const { problems, ...loaded } = await load(text.replace(right, wrong));
      expect(problems.map((problem) => problem.slice(0, `config.json, line ${line}:`.length))).toEqual([
        `config.json, line ${line}:`,
      ]);
      expect(loaded.orchestration.limits).toMatchObject({ childrenMax: 2, budget: { cost: 5 } });
      expect(loaded.orchestration.limits).toMatchObject({ depthMax: 1, runningMax: 1 });
      expect(loaded.agents).toHaveLength(1);
      if (!wrong.includes("Good")) expect(loaded.agents).toMatchObject([{ command: ["good"] }]);
      else expect(loaded.agents).toMatchObject([{ command: null }]);
    },
  );

  it("a bracket that is missing is reported, and no limit is lost (A16)", async () => {
    const text = `{\n  "agents": {\n    "good": { "name": "Good", "command": "good"\n  },\n  "orchestration": { "childrenMax": 2 }\n}`;
    const { problems, orchestration } = await load(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("opened on line 1 and never closed");
    expect(orchestration.limits).toEqual(STRICT);
  });

  it("comments and trailing commas are accepted (A16)", async () => {
    const { problems, pool } = await load('{ // mine\n "pool": { "idleMs": 500, /* ms */ },\n}\n');
    expect({ problems, pool }).toEqual({ problems: [], pool: { idleMs: 500, processesMax: 12 } });
  });

  it.each(["{ agents: ", "", "[]", "null", '"', "]]]]", "{{{{"])(
    "a file that is %j is told, and all is strict",
    async (text) => {
      const { problems, ...loaded } = await load(text);
      expect(problems.join()).toContain("config.json, line 1");
      expect(loaded.agents).toEqual([]);
      expect(loaded.orchestration).toEqual({
        offered: false,
        keepChildren: false,
        limits: STRICT,
        silentWaitMs: 50_000,
        progressEveryMs: 10_000,
      });
    },
  );

  it("a file that cannot be read is told, and all is strict (A16)", async () => {
    await using dir = await tempDir();
    const { problems, orchestration } = loadConfigFile(dir.path);
    expect(problems).toHaveLength(1);
    expect(orchestration.limits).toEqual(STRICT);
  });
});
