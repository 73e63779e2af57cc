import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentInfo } from "../../src/protocol/server-messages.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { agentPackage } from "./agent-package.ts";
import { LoopbackRegistry } from "./loopback-registry.ts";

const CODEX = "@agentclientprotocol/codex-acp";
const OFFERED = "1.6.2";

/** A server whose user gets packages from the test's registry and has no agents, whatever the machine has. */
function startServer(registry: LoopbackRegistry, env: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const settings = { npm_config_registry: registry.url, npm_config_globalconfig: "/nonexistent/npmrc" };
  return startTestServer({ env: { ...settings, PATH: "/usr/bin:/bin", ...env } });
}

async function infoOf(client: SocketClient, id = "codex"): Promise<AgentInfo> {
  const { agents } = await client.ask("agent:list", { type: "agent:list" });
  const found = agents.find((agent) => agent.id === id);
  if (!found) throw new Error(`there is no ${id}`);
  return found;
}

async function addProject(server: TestServer, client: SocketClient): Promise<string> {
  const path = await server.directory("project");
  return (await client.ask("project:added", { type: "project:add", path })).project.id;
}

async function openRegistry(...versions: string[]): Promise<LoopbackRegistry> {
  const registry = new LoopbackRegistry();
  for (const version of versions) await registry.publish(await agentPackage({ name: CODEX, version }));
  return registry;
}

test("TC-2.2b the list has every agent of the catalog with its state and what to do", async () => {
  await using registry = await openRegistry();
  await using server = await startServer(registry);
  const client = await server.connect();
  const { agents } = await client.ask("agent:list", { type: "agent:list" });
  expect(agents.slice(0, 3).map(({ id, availability }) => `${id} ${availability}`)).toEqual([
    "claude-code needs-install",
    "codex needs-install",
    "builtin ready",
  ]);
  expect(agents.length).toBeGreaterThan(30);
  expect(agents.find(({ id }) => id === "codex")).toMatchObject({ version: OFFERED, installable: true });
  expect(agents.find(({ id }) => id === "goose")).toMatchObject({ installable: false });
  for (const { availability, hint } of agents) expect(hint === undefined).toBe(availability !== "needs-install");
});

test("TC-5.5a X-5 an agent that is not installed is reported; once installed, it works without a restart", async () => {
  await using registry = await openRegistry(OFFERED);
  await using server = await startServer(registry);
  const [client, watcher] = [await server.connect(), await server.connect()];
  const projectId = await addProject(server, client);
  const create = { type: "session:create", projectId, cliType: "codex" } as const;
  expect(await client.ask("error", create)).toMatchObject({
    code: "AGENT_UNAVAILABLE",
    message: "Could not start Codex. Check that it's installed.",
    details: "Choose Install, or install it yourself so that `codex-acp` is on your PATH.",
    cliType: "codex",
  });
  const mark = watcher.mark();
  await client.ask("ok", { type: "agent:install", cliType: "codex" });
  const done = await watcher.next("agent:install-progress", ({ phase }) => phase === "done", mark);
  expect(done).toMatchObject({ cliType: "codex", progress: 1, message: `Codex ${OFFERED} is installed` });
  // Lists arrive for other reasons, too: the one after the install has its version.
  const isInstalled = ({ id, installedVersion }: AgentInfo) => id === "codex" && installedVersion !== undefined;
  const { agents } = await watcher.next("agent:list", (list) => list.agents.some(isInstalled), mark);
  expect(agents.find(({ id }) => id === "codex")).toMatchObject({
    availability: "ready",
    installedVersion: OFFERED,
  });
  const { sessionId } = await client.ask("session:created", create);
  await client.ask("session:history", { type: "session:open", sessionId });
  await client.ask("ok", { type: "session:send", sessionId, content: "stream 3 words" });
  const state = await client.untilState(
    sessionId,
    "the answer",
    ({ turn }) => turn.state === "idle" && turn.stopReason === "end_turn",
  );
  expect(JSON.stringify([...state.settled, ...state.open])).toContain("w1 w2 w3");
});

test("X-26 an update is switched to, one click leads back, and a new start uses what is chosen", async () => {
  await using registry = await openRegistry(OFFERED, "1.7.0");
  await using server = await startServer(registry);
  const client = await server.connect();
  const projectId = await addProject(server, client);
  await client.ask("ok", { type: "agent:install", cliType: "codex" });
  await client.ask("session:created", { type: "session:create", projectId, cliType: "codex" });
  expect(server.agentProcesses().some(({ commandLine }) => commandLine.includes(`/${OFFERED}/`))).toBe(true);
  await client.ask("ok", { type: "agent:install", cliType: "codex", version: "1.7.0" });
  expect(await infoOf(client)).toMatchObject({ installedVersion: "1.7.0", previousVersion: OFFERED, version: OFFERED });
  await client.ask("session:created", { type: "session:create", projectId, cliType: "codex" });
  expect(server.agentProcesses().some(({ commandLine }) => commandLine.includes("/1.7.0/"))).toBe(true);
  await client.ask("ok", { type: "agent:rollback", cliType: "codex" });
  expect(await infoOf(client)).toMatchObject({ installedVersion: OFFERED, previousVersion: "1.7.0" });
});

test("X-5 an agent at work is not removed from under its turn; an idle one is, and then needs install again", async () => {
  await using registry = await openRegistry(OFFERED);
  await using server = await startServer(registry);
  const client = await server.connect();
  const projectId = await addProject(server, client);
  await client.ask("ok", { type: "agent:install", cliType: "codex" });
  const { sessionId } = await client.ask("session:created", { type: "session:create", projectId, cliType: "codex" });
  await client.ask("session:history", { type: "session:open", sessionId });
  await client.ask("ok", { type: "session:send", sessionId, content: "sleep" });
  await client.untilState(sessionId, "a running turn", ({ turn }) => turn.state === "running");
  const refused = await client.ask("error", { type: "agent:uninstall", cliType: "codex" });
  expect(refused.message).toBe("Codex: It is running. Wait for its turns to finish, or cancel them.");
  await client.ask("ok", { type: "session:cancel", sessionId });
  await client.untilState(sessionId, "the turn's end", ({ turn }) => turn.state === "idle");
  await client.ask("ok", { type: "agent:uninstall", cliType: "codex" });
  const info = await infoOf(client);
  expect(info.availability).toBe("needs-install");
  expect(info.installedVersion).toBeUndefined();
  expect(existsSync(join(server.dataDir, "agents", "codex"))).toBe(false);
});

test("X-5 a failed install is an error with advice, and every client gets its end", async () => {
  await using registry = await openRegistry();
  await using server = await startServer(registry);
  const [client, watcher] = [await server.connect(), await server.connect()];
  const error = await client.ask("error", { type: "agent:install", cliType: "codex" });
  expect(error).toMatchObject({ code: "AGENT_UNAVAILABLE", cliType: "codex" });
  expect(error.message).toContain(`does not have ${CODEX} ${OFFERED}`);
  await watcher.next("agent:install-progress", ({ phase }) => phase === "failed", 0);
  const unknown = await client.ask("error", { type: "agent:install", cliType: "nobody" });
  expect(unknown.code).toBe("AGENT_UNKNOWN");
  const range = await client.ask("error", { type: "agent:install", cliType: "codex", version: "^1.0.0" });
  expect(range.code).toBe("INVALID_MESSAGE");
});

test("X-5 two who ask get one install, and a third can cancel it", async () => {
  await using registry = await openRegistry(OFFERED);
  await using server = await startServer(registry);
  const clients = [await server.connect(), await server.connect()];
  const third = await server.connect();
  const held = registry.holdTarballs();
  const errors = clients.map((client) => client.ask("error", { type: "agent:install", cliType: "codex" }));
  await held.arrived;
  await third.ask("ok", { type: "agent:install-cancel", cliType: "codex" });
  for (const { message } of await Promise.all(errors)) expect(message).toBe("Codex: The installation was cancelled.");
  held.release();
  expect(registry.asked.filter((path) => path.endsWith(".tgz"))).toHaveLength(1);
  expect(existsSync(join(server.dataDir, "agents", "codex"))).toBe(false);
  await third.ask("ok", { type: "agent:install-cancel", cliType: "codex" });
});

test("X-26 a server killed in the middle of an install leaves nothing running, and the next install cleans up", async () => {
  await using registry = await openRegistry(OFFERED);
  await using server = await startServer(registry);
  const held = registry.holdTarballs();
  (await server.connect()).post({ type: "agent:install", cliType: "codex" });
  await held.arrived;
  await server.kill();
  held.release();
  const folder = join(server.dataDir, "agents", "codex");
  expect(readdirSync(folder)).toEqual([expect.stringContaining(".staging-")]);
  await server.start();
  const client = await server.connect();
  expect((await infoOf(client)).availability).toBe("needs-install");
  expect(readdirSync(folder)).toHaveLength(1);
  await client.ask("ok", { type: "agent:install", cliType: "codex" });
  expect(readdirSync(folder).sort()).toEqual([OFFERED, "current.json"]);
  await server.stop();
  await server.start();
  expect(await infoOf(await server.connect())).toMatchObject({ availability: "ready", installedVersion: OFFERED });
});

test("X-5 a server that stops takes a running install along", async () => {
  await using registry = await openRegistry(OFFERED);
  await using server = await startServer(registry);
  const held = registry.holdTarballs();
  (await server.connect()).post({ type: "agent:install", cliType: "codex" });
  await held.arrived;
  expect(await server.stop()).toBe(0);
  held.release();
  expect(existsSync(join(server.dataDir, "agents", "codex"))).toBe(false);
});

test("X-5 a command sent twice installs once", async () => {
  await using registry = await openRegistry(OFFERED, "1.7.0");
  await using server = await startServer(registry);
  const client = await server.connect();
  const install = { type: "agent:install", cliType: "codex", version: "1.7.0", commandId: "install-1" } as const;
  await client.ask("ok", install);
  await client.ask("ok", { type: "agent:uninstall", cliType: "codex" });
  await client.ask("ok", install);
  expect((await infoOf(client)).availability).toBe("needs-install");
});

test("X-5 newer versions are looked up when the list is requested, not before, and every client gets them", async () => {
  await using registry = await openRegistry();
  let asked = 0;
  const entry = {
    id: "codex-acp",
    name: "Codex",
    version: "8.0.0",
    description: "Newer.",
    distribution: { npx: { package: `${CODEX}@8.0.0` } },
  };
  await using catalog = new AsyncDisposableStack();
  const published = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      asked += 1;
      return Response.json({ version: "1.0.0", agents: [entry] });
    },
  });
  catalog.defer(() => published.stop(true));
  await using server = await startServer(registry, { LIMINAL_REGISTRY_URL: `http://127.0.0.1:${published.port}/` });
  const [client, watcher] = [await server.connect(), await server.connect()];
  const mark = watcher.mark();
  expect(asked).toBe(0);
  await infoOf(client);
  const isNewer = ({ id, version }: AgentInfo) => id === "codex" && version === "8.0.0";
  const { agents } = await watcher.next("agent:list", (list) => list.agents.some(isNewer), mark);
  expect(agents.find(({ id }) => id === "codex")).toMatchObject({ version: "8.0.0", name: "Codex" });
  await infoOf(client);
  expect(asked).toBe(1);
});
