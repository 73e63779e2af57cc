import { describe, expect, it } from "bun:test";
import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { loadConfigFile, toolServersAt } from "./config-file.ts";
import { ownCommand } from "./own-program.ts";

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
  storedAgents: [],
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
  checkpoints: true,
  editor: null,
  notify: [],
  worktreeRoot: join(homedir(), ".liminal-worktrees"),
  limitsResume: "ask" as const,
  runningMax: { perPerson: null, perPlace: null },
  vaultBytesMax: 10 * 1024 ** 3,
  places: [],
  placeNames: [],
  dialIn: { host: "0.0.0.0", port: null, address: null },
  service: null,
};

describe("loadConfigFile", () => {
  it("[SC-35] reads places; a mistake in one keeps the others", async () => {
    const { places, problems } = await load({
      places: {
        build: { kind: "ssh", host: "me@build-1" },
        box: {
          kind: "command",
          command: ["docker", "exec", "-i", "box", "liminal", "runner"],
          agents: { codex: ["codex-acp"] },
        },
        "Not a name": { kind: "ssh", host: "x" },
        option: { kind: "ssh", host: "-oProxyCommand=sh" },
        shell: { kind: "ssh", host: "build-1", program: "liminal; rm -rf" },
        half: { kind: "command" },
        fenced: { kind: "fence", read: ["~/.nvm"], variables: ["KEY"] },
        open: { kind: "fence", write: ["app"] },
        wide: { kind: "fence", network: "yes" },
        pods: { kind: "kubernetes", pod: "~/pod.yaml", namespace: "agents", idleMinutes: 30 },
        both: { kind: "kubernetes", pod: { containers: [] }, sandbox: "agents" },
        flag: { kind: "kubernetes", sandbox: "--agents" },
      },
    });
    expect(places).toEqual([
      { name: "build", kind: "ssh", host: "me@build-1", program: "liminal", agents: {} },
      {
        ...{ name: "box", kind: "command", command: ["docker", "exec", "-i", "box", "liminal", "runner"] },
        agents: { codex: ["codex-acp"] },
      },
      {
        ...{ name: "fenced", kind: "fence", program: ownCommand("liminal", "runner"), agents: {} },
        fence: { network: false, read: ["~/.nvm"], write: [], variables: ["KEY"], hidden: [expect.any(String)] },
      },
      {
        ...{ name: "pods", kind: "kubernetes", program: "liminal", agents: {}, pod: null },
        template: {
          ...{ from: { kind: "file", path: "~/pod.yaml" }, namespace: "agents", context: null, kubeconfig: null },
          ...{ container: null, idleMinutes: 30 },
        },
      },
    ]);
    expect(problems.map((problem) => problem.replace(/^.*?: /, ""))).toEqual([
      "places.Not a name: the name of a place has 2 to 32 lowercase letters, digits and dashes. The place is ignored.",
      "places.option.host: expected a host, or user@host. The place is ignored.",
      "places.shell.program: expected the path of a program. The place is ignored.",
      'places.half: a place needs a kind: "ssh" with a host, "command" with a command, "fence", "dial-in", or "kubernetes" with a pod or a sandbox. The place is ignored.',
      "places.open.write.0: expected a path from / or ~ on. The place is ignored.",
      "places.wide.network: invalid input: expected boolean, received string. The place is ignored.",
      'places.both: a place needs a kind: "ssh" with a host, "command" with a command, "fence", "dial-in", or "kubernetes" with a pod or a sandbox. The place is ignored.',
      "places.flag.sandbox: expected lowercase letters, digits, dots and dashes. The place is ignored.",
    ]);
  });

  it("a sign-in service is read whole or not at all, and a mistake in whom it lets in lets in nobody more", async () => {
    const oidc = { issuer: "https://login.example.com", clientId: "liminal", clientSecret: { fromEnv: "NOWHERE" } };
    const { service } = await load({ oidc: { ...oidc, allow: ["@Example.com", "ann@elsewhere.example"] } });
    expect({ ...service, clientSecret: service?.clientSecret() }).toEqual({
      ...{ issuer: oidc.issuer, clientId: "liminal", name: "login.example.com", address: null },
      clientSecret: { reason: expect.stringContaining("the environment variable NOWHERE, which is not set") },
      ...{ scopes: ["openid", "email", "profile"], allow: ["@example.com", "ann@elsewhere.example"] },
    });
    const more = { address: "https://liminal.example/", scopes: ["email"], name: "Example" };
    expect((await load({ oidc: { ...oidc, ...more } })).service).toMatchObject({
      ...{ address: "https://liminal.example", scopes: ["openid", "email"], name: "Example", allow: [] },
    });
    expect((await load({ oidc: { issuer: "http://127.0.0.1:4000", clientId: "x" } })).service?.clientSecret()).toEqual({
      secret: null,
    });
    for (const wrong of [
      { issuer: "http://login.example.com" },
      { issuer: "login.example.com" },
      { issuer: undefined },
      { clientId: "" },
      { clientSecret: { fromFle: "x" } },
      { address: "http://liminal.example" },
      { address: "https://liminal.example/path" },
      { scopes: ["open id"] },
    ]) {
      const { service: found, problems } = await load({ oidc: { ...oidc, ...wrong } });
      expect({ wrong, found, problems: problems.length }).toEqual({ wrong, found: null, problems: 1 });
    }
    const loose = await load({ oidc: { ...oidc, allow: ["example.com"] } });
    expect([loose.service?.allow, loose.problems]).toEqual([[], [expect.stringContaining("oidc.allow.0")]]);
    expect((await load({ oidc: "https://login.example.com" })).problems).toHaveLength(1);
  });

  it("a missing file is accepted", async () => {
    await using dir = await tempDir();
    expect(loadConfigFile(dir.join("config.json"))).toEqual({ ...NOTHING, problems: [] });
    expect(await load({})).toEqual({ ...NOTHING, problems: [] });
  });

  it("an editor is a known name, a command, or a list of words", async () => {
    const editorOf = async (editor: unknown) => (await load({ editor })).editor;
    expect(await editorOf("code")).toEqual(["code", "--goto", "{file}:{line}"]);
    expect(await editorOf("zed")).toEqual(["zed", "{file}:{line}"]);
    expect(await editorOf("$EDITOR")).toEqual(["$EDITOR"]);
    expect(await editorOf("subl  {file}:{line}")).toEqual(["subl", "{file}:{line}"]);
    expect(await editorOf(["/opt/my editor", "{file}"])).toEqual(["/opt/my editor", "{file}"]);
    for (const wrong of [3, "", [], [1]]) {
      const { editor, problems } = await load({ editor: wrong });
      expect([editor, problems]).toEqual([null, [expect.stringContaining("config.json, line 1: editor")]]);
    }
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

  it("O-8 the built-in agent can be given a model without a command", async () => {
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

  it("an agent that is not in the catalog needs a name and a command (A16)", async () => {
    const { agents, problems } = await load({ agents: { other: { env: {} } } });
    expect(problems[0]).toStartWith(
      'config.json, line 1: agents.other.name: the catalog has no agent "other", so name is required.',
    );
    expect(agents).toMatchObject([
      { id: "other", command: null, installHint: expect.stringContaining("agents.other") },
    ]);
  });

  it("each limit of the pool can be set separately", async () => {
    expect((await load({ pool: { processesMax: 2 } })).pool).toEqual({ idleMs: 1_800_000, processesMax: 2 });
    expect((await load({ pool: { idleMs: 500 } })).pool).toEqual({ idleMs: 500, processesMax: 12 });
  });

  it("X-4 sets the initial permission mode of an agent; everything is allowed only if that is written explicitly", async () => {
    const agent = { name: "A", command: "a" };
    const { permissions } = await load({ agents: { plain: agent, edits: { ...agent, permissions: "edits" } } });
    expect([...permissions].map(([id, mode]) => [String(id), mode])).toEqual([["edits", "edits"]]);
  });

  it("O-2 tool servers have a name, and a command or an address", async () => {
    const { mcpServers, problems } = await load({
      mcpServers: {
        files: { command: "/opt/files" },
        web: { url: "https://tools.example/mcp", headers: { A: "b" }, enabled: false, places: ["build-1"] },
      },
    });
    expect(problems).toEqual([]);
    expect(mcpServers).toEqual([
      { name: "files", enabled: true, places: [], command: "/opt/files", args: [], env: {} },
      { name: "web", enabled: false, places: ["build-1"], url: "https://tools.example/mcp", headers: { A: "b" } },
    ]);
    const namesAt = (cwd: string) => toolServersAt(mcpServers, cwd).map(({ name }) => name);
    expect([namesAt("/app"), namesAt("build-1:/app"), namesAt("box:/app")]).toEqual([["files", "web"], ["web"], []]);
    const bad = await load({ mcpServers: { bad: { url: "javascript:x" }, good: { command: "good" } } });
    expect(bad.problems.join()).toContain("mcpServers.bad");
    expect(bad.mcpServers).toMatchObject([{ name: "good" }]);
  });

  it("[SC-45] limits on sessions that work are whole numbers; one that is wrong is the strictest, and no mistake elsewhere makes one", async () => {
    const maxOf = async (limits: unknown) => (await load({ limits })).runningMax;
    expect(await maxOf({ runningPerPersonMax: 4 })).toEqual({ perPerson: 4, perPlace: null });
    expect(await maxOf({ runningPerPersonMax: 0, runningPerPlaceMax: "many" })).toEqual({ perPerson: 1, perPlace: 1 });
    expect(await maxOf({ runningPerPersonMx: 4 })).toEqual({ perPerson: 1, perPlace: null });
    await using dir = await tempDir();
    writeFileSync(dir.join("config.json"), '{ "agents": ');
    expect(loadConfigFile(dir.join("config.json")).runningMax).toEqual({ perPerson: null, perPlace: null });
  });

  it("settings of a newer version are ignored", async () => {
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
    // Strict if the user's intent is unknown.
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
    "O-7 an unreadable limit, orchestration.%s, becomes the strict one; the others stay (A16)",
    async (place, given, limits) => {
      const { problems, orchestration, agents } = await load({ ...GOOD, orchestration: { depthMax: 2, ...given } });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(`orchestration.${place}`);
      expect(orchestration.limits).toEqual({ depthMax: 2, childrenMax: 10, runningMax: 5, budget: {}, ...limits });
      expect(agents).toHaveLength(1);
    },
  );

  it("a section of the wrong kind or with a misspelled name becomes the strict one (A16)", async () => {
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
    "text that is not JSON because %s is reported with its line, and the rest is used (A16)",
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

  it("a missing bracket is reported, and no limit is lost (A16)", async () => {
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
    "a file that is %j is reported, and all limits are strict",
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

  it("an unreadable file is reported, and all limits are strict (A16)", async () => {
    await using dir = await tempDir();
    const { problems, orchestration } = loadConfigFile(dir.path);
    expect(problems).toHaveLength(1);
    expect(orchestration.limits).toEqual(STRICT);
  });

  it("CV-50 a wrong target is reported with its line and what to do; the others are used", async () => {
    await using dir = await tempDir();
    const good = { url: "https://ntfy.sh/topic", format: "ntfy", on: ["asks"] };
    const targets = [
      good,
      { ...good, url: "ntfy.sh/topic" },
      { ...good, url: "https://user:word@ntfy.sh/topic" },
      { ...good, format: "slack" },
      { ...good, on: [] },
      { ...good, on: ["asked"] },
      { ...good, afterMs: -1 },
      good,
      "https://ntfy.sh/topic",
    ];
    await Bun.write(
      dir.join("config.json"),
      `{"notify": [\n${targets.map((one) => JSON.stringify(one)).join(",\n")}\n]}`,
    );
    const { notify, problems } = loadConfigFile(dir.join("config.json"));
    expect(notify).toEqual([{ url: good.url, format: "ntfy", on: ["asks"], afterMs: 1_000 }]);
    expect(problems.map((text) => text.slice(dir.join("config.json").length))).toEqual([
      ", line 3: notify.1.url: expected an address that starts with http:// or https://, for example https://ntfy.sh/my-topic. No notices are sent there.",
      ", line 4: notify.2.url: remove the user and password from the address; ntfy takes an access token as ?auth=…. No notices are sent there.",
      ', line 5: notify.3.format: expected "ntfy" or "json". No notices are sent there.',
      ", line 6: notify.4.on: choose at least one event. No notices are sent there.",
      ", line 7: notify.5.on.0: expected any of asks, failed, limit, done. No notices are sent there.",
      expect.stringContaining(", line 8: notify.6.afterMs: "),
      ", line 9: notify.7.url: this address is listed twice; remove one. No notices are sent there.",
      ", line 10: notify.8: expected an object: { … }. No notices are sent there.",
    ]);
  });
});
