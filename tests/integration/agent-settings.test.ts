import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentSetting, ToolServerSetting } from "../../src/protocol/agent-settings.ts";
import { LAB_TOOL, startHttpMcpServer, stdioMcpServer } from "../agents/lab-mcp-server.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";

const WRITTEN = `{
  // My agents.
  "agents": {
    "mine": { "name": "Mine", "command": "/nowhere/mine", "args": ["--api-key", "made-up-secret"], "later": true }, // keep
    "codex": { "env": { "CODEX_KEY": "made-up-secret" } }
  },
  "mcpServers": {
    "web": { "url": "https://tools.example/mcp?key=made-up-secret" }
  },
  "unknown": [1, 2] /* from a newer version */
}
`;

const guide = guideWith();
const program = (part: Partial<Extract<ToolServerSetting, { kind: "program" }>>): ToolServerSetting => {
  const { command, args } = Object(stdioMcpServer("/dev/null"));
  return { kind: "program", enabled: true, command, args, env: [], ...part };
};
const own = (part: Partial<AgentSetting> = {}): AgentSetting => ({
  name: "Second",
  command: guide.command,
  args: [...(guide.args ?? [])],
  env: [],
  ...part,
});

describe("settings of agents and tool servers", () => {
  let server: TestServer;
  let file: string;
  beforeAll(async () => {
    server = await startTestServer({
      prepare: (dataDir) => writeFile(join(dataDir, "config.json"), WRITTEN),
      env: { ATLAS_TOKEN: "made-up-token" },
    });
    file = join(server.dataDir, "config.json");
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("[X-35] an agent is added, changed and removed without a restart; the rest of the file stays as it was written", async () => {
    const client = await server.connect();
    const told = await client.ask("settings:agents", { type: "settings:agents" });
    expect(JSON.stringify(told)).not.toContain("made-up");
    expect(told.agents).toMatchObject([
      { cliType: "mine", isOwn: true, setting: { name: "Mine", args: ["--api-key", "•••"] } },
      { cliType: "codex", isOwn: false, setting: { env: [{ name: "CODEX_KEY", from: { kind: "text" } }] } },
    ]);
    const save = { type: "settings:save-agent", cliType: "second", setting: own() } as const;
    await client.ask("settings:agents", save);
    const { agents } = await client.ask("agent:list", { type: "agent:list" });
    expect(agents.find(({ id }) => id === "second")).toMatchObject({ name: "Second", availability: "ready" });
    const { project } = await client.ask("project:added", {
      type: "project:add",
      path: await server.directory("demo"),
    });
    await client.ask("session:created", { type: "session:create", projectId: project.id, cliType: "second" });

    // As it was shown, a hidden argument is kept; changed around it, it has to be entered again.
    const mine = { name: "Mine, renamed", command: "/nowhere/mine", args: ["--api-key", "•••"], env: [] };
    await client.ask("settings:agents", { type: "settings:save-agent", cliType: "mine", setting: mine });
    const partly = { ...mine, args: ["--api-key", "•••", "-v"] };
    expect(await client.ask("error", { type: "settings:save-agent", cliType: "mine", setting: partly })).toMatchObject({
      code: "INVALID_MESSAGE",
      details: expect.stringContaining("hidden argument"),
    });
    await client.ask("settings:agents", { type: "settings:remove-agent", cliType: "second" });
    expect(await readFile(file, "utf8")).toBe(WRITTEN.replace('"name": "Mine"', '"name": "Mine, renamed"'));
  });

  test("[X-36] a test starts the agent and reports the result, or why it failed; nothing is stored", async () => {
    const client = await server.connect();
    const before = await readFile(file, "utf8");
    const ask = (setting: AgentSetting) =>
      client.ask("settings:tested", { type: "settings:test-agent", cliType: "second", setting });
    const works = await ask(own());
    expect(works).toMatchObject({ ok: true, message: "Second starts and answers." });
    expect(works.details.join("\n")).toMatch(/Liminal Guide/);
    expect(await ask(own({ command: "/nowhere/agent" }))).toMatchObject({
      ok: false,
      message: expect.stringContaining("/nowhere/agent"),
    });
    const silent = await ask(own({ command: "/bin/sh", args: ["-c", "echo it is broken >&2; exit 3"] }));
    expect(silent).toMatchObject({ ok: false, details: [expect.stringContaining("it is broken")] });
    expect(silent.message).toContain("exit code 3");
    const named = await client.ask("settings:tested", { type: "settings:test-agent", cliType: "mine" });
    expect(named).toMatchObject({ ok: false });
    expect(JSON.stringify(named)).not.toContain("made-up");
    expect(await readFile(file, "utf8")).toBe(before);
  });

  test("[X-36] a test of a tool server lists its tools, by command and by address", async () => {
    const client = await server.connect();
    using http = startHttpMcpServer();
    const ask = (setting: ToolServerSetting) =>
      client.ask("settings:tested", { type: "settings:test-server", name: "lab", setting });
    expect(await ask(program({}))).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^1 tool/),
      details: [LAB_TOOL],
    });
    expect(await ask(program({ command: "no-such-program", args: [] }))).toMatchObject({
      ok: false,
      message: expect.stringContaining("is not on the PATH"),
    });
    const { url } = Object(http.setting);
    const token = join(server.home, "lab-token");
    await writeFile(token, "Bearer lab-secret\n", { mode: 0o600 });
    const byFile = (path: string): ToolServerSetting => ({
      ...{ kind: "address", enabled: true, url },
      headers: [{ name: "Authorization", from: { kind: "file", path } }],
    });
    expect(await ask(byFile(token))).toMatchObject({ ok: true, details: [LAB_TOOL] });
    // A secret that others can read is not used.
    await chmod(token, 0o644);
    const open = await ask(byFile(token));
    expect(open).toMatchObject({ ok: false, message: expect.stringContaining(`chmod 600 ${token}`) });
    expect(await ask({ kind: "address", enabled: true, url, headers: [] })).toMatchObject({ ok: false });
  });

  test("[X-37] secrets are stored by reference, reach the process, and come back to no client", async () => {
    const client = await server.connect();
    const env: AgentSetting["env"] = [
      { name: "ATLAS", from: { kind: "variable", name: "ATLAS_TOKEN" } },
      { name: "PLAIN", from: { kind: "text", text: "made-up-plain" } },
    ];
    const got = join(server.home, "got");
    const shell = ["-c", `echo "got $ATLAS $PLAIN" | tee '${got}' >&2; exit 1`];
    const setting = own({ command: "/bin/sh", args: shell, env });
    const told = await client.ask("settings:agents", { type: "settings:save-agent", cliType: "second", setting });
    expect(JSON.stringify(told)).not.toContain("made-up");
    expect(await readFile(file, "utf8")).toContain('"fromEnv": "ATLAS_TOKEN"');
    const kept = own({
      command: "/bin/sh",
      args: shell,
      env: [env[0] ?? { name: "", from: { kind: "text" } }, { name: "PLAIN", from: { kind: "text" } }],
    });
    await client.ask("settings:agents", { type: "settings:save-agent", cliType: "second", setting: kept });
    const { details } = await client.ask("settings:tested", { type: "settings:test-agent", cliType: "second" });
    expect(await readFile(got, "utf8")).toBe("got made-up-token made-up-plain\n");
    expect(details.join("\n")).toContain("got [redacted] [redacted]");
    expect(details.join("\n")).not.toContain("made-up");
    const missing = own({ env: [{ name: "GONE", from: { kind: "variable", name: "NOT_SET_ANYWHERE" } }] });
    await client.ask("settings:agents", { type: "settings:save-agent", cliType: "second", setting: missing });
    const { agents } = await client.ask("agent:list", { type: "agent:list" });
    expect(agents.find(({ id }) => id === "second")).toMatchObject({
      availability: "needs-install",
      hint: expect.stringContaining("NOT_SET_ANYWHERE"),
    });
    // A file with a mistake is not touched.
    const broken = `${await readFile(file, "utf8")} x`;
    await writeFile(file, broken);
    expect(await client.ask("error", { type: "settings:remove-agent", cliType: "second" })).toMatchObject({
      code: "SETTINGS_UNWRITABLE",
      message: expect.stringContaining("has a mistake"),
    });
    expect(await readFile(file, "utf8")).toBe(broken);
  });
});
