import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CommandId, type ProjectId } from "../../src/protocol/ids.ts";
import type { ServiceInfo } from "../../src/protocol/terminals.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { write } from "../workspace/git-scene.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk } from "./talk.ts";

/** Answers with its process id; ends with a failure when it is asked to. */
const PROGRAM = `
Bun.serve({ hostname: "127.0.0.1", port: Number(process.env.PORT), fetch: ({ url }) => {
  if (url.endsWith("/crash")) setTimeout(() => process.exit(7));
  return new Response(String(process.pid));
} });`;
const COMMAND = `'${process.execPath}' program.js`;

async function projectWith(server: TestServer, client: SocketClient, services: Record<string, unknown>) {
  const root = await server.directory(crypto.randomUUID());
  await write(root, { "program.js": PROGRAM, "liminal.json": JSON.stringify({ services }) });
  const { project } = await client.ask("project:added", { type: "project:add", path: root });
  return { root, projectId: project.id };
}

class Service {
  readonly #client: SocketClient;
  readonly #place: { readonly projectId: ProjectId; readonly worktreeId: null };

  constructor(client: SocketClient, projectId: ProjectId) {
    this.#client = client;
    this.#place = { projectId, worktreeId: null };
  }

  async info(): Promise<ServiceInfo> {
    const { services } = await this.#client.ask("service:list", { type: "service:list", ...this.#place });
    if (!services[0]) throw new Error("no service");
    return services[0];
  }

  send(type: "start" | "stop" | "restart", hash?: string) {
    return this.#client.request({ type: `service:${type}`, ...this.#place, name: "dev", ...(hash && { hash }) });
  }

  /** By what is published, from the current state on. */
  async until(what: string, isReached: (info: ServiceInfo) => boolean): Promise<ServiceInfo> {
    const mark = this.#client.mark();
    const now = await this.info();
    if (isReached(now)) return now;
    return this.#client.until(what, () =>
      this.#client
        .all("service:list", mark)
        .filter(({ projectId }) => projectId === this.#place.projectId)
        .flatMap(({ services }) => services)
        .findLast(isReached),
    );
  }
}

const pidOf = async ({ url }: ServiceInfo) => Number(await (await fetch(url ?? "")).text());

test("[WS-27] a service runs once a user has agreed to it; every client sees it, and a command that an agent changed asks again", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const [client, other] = [await server.connect(), await server.connect()];
  const { root, projectId } = await projectWith(server, client, { dev: { command: COMMAND, port: true } });
  const [service, seen] = [new Service(client, projectId), new Service(other, projectId)];
  const { hash, state } = await service.info();
  expect(state).toBe("asks");
  expect(await service.send("start")).toMatchObject({ type: "error", code: "CONSENT_REQUIRED" });
  expect(await service.send("start", hash)).toMatchObject({ type: "service:list" });
  const answering = await seen.until("the address", ({ url }) => url !== null);
  expect(await pidOf(answering)).toBeGreaterThan(1);

  const evil = JSON.stringify({ services: { dev: { command: "touch evil", port: true } } });
  const talk = await anotherTalk(client, projectId, "scripted");
  await talk.say(script({ shell: `printf '%s' '${evil}' > liminal.json` }, chunk("done"), { end: "end_turn" }));
  expect(await service.send("restart")).toMatchObject({ code: "CONSENT_REQUIRED", details: "touch evil" });
  expect(await pidOf(await service.info())).toBe(await pidOf(answering));
  await service.send("stop");
  expect(await seen.until("the question", (info) => info.state === "asks")).toMatchObject({ command: "touch evil" });
  expect(await service.send("start", hash)).toMatchObject({ type: "error", code: "CONSENT_REQUIRED" });
  expect(existsSync(join(root, "evil"))).toBe(false);
  await expect(fetch(answering.url ?? "")).rejects.toThrow();
});

test("a service that crashes is started again; a clean stop ends it, and the consent holds for the next server", async () => {
  await using server = await startTestServer();
  const settings = { command: COMMAND, port: true, restart: "on-failure" };
  const before = await server.connect();
  const { projectId } = await projectWith(server, before, { dev: settings });
  const service = new Service(before, projectId);
  await service.send("start", (await service.info()).hash);
  const first = await service.until("the address", ({ url }) => url !== null);
  const pid = await pidOf(first);
  await fetch(`${first.url}/crash`);
  const again = await service.until("the restart", ({ url, restarts }) => url !== null && restarts === 1);
  expect(again).toMatchObject({ state: "running", port: first.port, lastEnd: { exitCode: 7 } });
  expect(await pidOf(again)).not.toBe(pid);

  await server.stop();
  await expect(fetch(again.url ?? "")).rejects.toThrow();
  await server.start();
  const later = new Service(await server.connect(), projectId);
  expect(await later.info()).toMatchObject({ state: "stopped", terminalId: null });
  await later.send("start");
  expect(await later.until("the address", ({ url }) => url !== null)).toMatchObject({ port: first.port });
});

test("a service survives kill -9 of the server; the next server watches it, and starts it again when it failed meanwhile", async () => {
  await using server = await startTestServer();
  const settings = { command: COMMAND, port: true, restart: "on-failure" };
  const { projectId } = await projectWith(server, await server.connect(), { dev: settings });
  let service = new Service(await server.connect(), projectId);
  await service.send("start", (await service.info()).hash);
  const first = await service.until("the address", ({ url }) => url !== null);
  const pid = await pidOf(first);

  await server.kill();
  expect(await pidOf(first)).toBe(pid);
  await server.start();
  service = new Service(await server.connect(), projectId);
  const adopted = await service.until("the address", ({ url }) => url !== null);
  expect(adopted).toEqual(first);
  expect(await pidOf(adopted)).toBe(pid);

  await server.kill();
  await fetch(`${first.url}/crash`);
  await waitFor(
    () => isAlive(pid),
    (alive) => !alive,
    "the end of the service",
  );
  await server.start();
  service = new Service(await server.connect(), projectId);
  const again = await service.until("the restart", ({ url, restarts }) => url !== null && restarts === 1);
  expect(again.lastEnd?.exitCode).toBe(7);
  expect(await pidOf(again)).not.toBe(pid);
  await service.send("stop");
  await expect(fetch(first.url ?? "")).rejects.toThrow();
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

test("removing a project ends its services; a terminal that is asked for twice by one command is opened once", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, { dev: { command: COMMAND, port: true } });
  const service = new Service(client, projectId);
  await service.send("start", (await service.info()).hash);
  const { url } = await service.until("the address", (info) => info.url !== null);
  const open = { type: "terminal:open", projectId, commandId: CommandId.parse(crypto.randomUUID()) } as const;
  const [first, second] = await Promise.all([client.ask("terminal:opened", open), client.ask("terminal:opened", open)]);
  expect(second.terminalId).toBe(first.terminalId);
  expect((await client.ask("terminal:opened", open)).terminalId).toBe(first.terminalId);
  await client.ask("project:removed", { type: "project:remove", projectId });
  await expect(fetch(url ?? "")).rejects.toThrow();
  const { terminals } = await client.ask("terminal:list", { type: "terminal:list" });
  expect(terminals.map(({ kind }) => kind)).toEqual(["shell"]);
});
