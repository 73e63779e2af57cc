import { expect, it } from "bun:test";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { DataDir } from "../../src/operations/data-dir.ts";
import { InstanceLock } from "../../src/operations/instance-lock.ts";
import { ProjectId } from "../../src/protocol/ids.ts";
import type { PlainServerMessage } from "../../src/protocol/server-messages.ts";
import { ROOT, TestServer } from "../support/test-server.ts";
import { COMMANDS_TIMEOUT_MS, type Ended, environmentOf, liminal } from "./liminal.ts";

/** Runs a command while the program at that port is, by lock and note, the server of the data directory. */
async function against(port: number, command: readonly string[]): Promise<Ended> {
  await using place = await TestServer.prepare();
  const dataDir = new DataDir(place.dataDir);
  using lock = new InstanceLock(dataDir);
  await writeFile(join(dataDir.path, "token"), "token-of-this-test");
  const origin = `http://127.0.0.1:${port}`;
  lock.announce({ pid: process.pid, port, origin, startedAt: "2026-01-01T00:00:00.000Z", version: "0.0.0" });
  return await liminal(place, command);
}

/** Accepts connections, and never sends anything. */
async function listenMute() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it listens on no port");
  return { port: address.port, [Symbol.dispose]: () => void server.close() };
}

/** Answers the health check, accepts sockets, sends `first` to each, and answers nothing else. */
function listenWell(first?: Extract<PlainServerMessage, { type: "hello" }>) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, host) => (host.upgrade(request) ? undefined : new Response("ok")),
    websocket: {
      open: (socket) => {
        if (first) socket.send(JSON.stringify(first));
      },
      message: () => undefined,
    },
  });
  return { port: Number(server.port), [Symbol.dispose]: () => void server.stop(true) };
}

/** Answers the health check, and closes every socket at once, like a server that is ending. */
function listenAndHangUp() {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, host) => (host.upgrade(request) ? undefined : new Response("ok")),
    websocket: { open: (socket) => socket.terminate(), message: () => undefined },
  });
  return { port: Number(server.port), [Symbol.dispose]: () => void server.stop(true) };
}

it.concurrent(
  "X-14 a server that hangs up on a command ends it in words, never with nothing and code 0",
  async () => {
    using hangingUp = listenAndHangUp();
    const commands = [["ls"], ["ls", "--json"], ["run", "--wait", "Fix it"]];
    const ends = await Promise.all(commands.map((command) => against(hangingUp.port, command)));
    expect(ends.map(({ code }) => code)).toEqual([3, 3, 3]);
    const said = ends.map(({ stdout, stderr }) => stdout + stderr);
    for (const words of said) expect(words).toContain("The server has stopped. Start it with: liminal serve");
  },
  COMMANDS_TIMEOUT_MS,
);

it.concurrent(
  "X-14 a server that takes connections and never answers ends ls and cancel in words, and no other one is started",
  async () => {
    using mute = await listenMute();
    using ungreeting = listenWell();
    using unanswering = listenWell({
      ...{ type: "hello", version: "0.0.0", protocol: 1, agents: [] },
      projects: [
        { id: ProjectId.parse("p1"), path: "/somewhere/shop", name: "shop", addedAt: "2026-01-01T00:00:00.000Z" },
      ],
    });
    const ends = await Promise.all([
      against(mute.port, ["ls"]),
      against(mute.port, ["cancel", "3f2a"]),
      against(ungreeting.port, ["ls"]),
      against(unanswering.port, ["ls"]),
    ]);
    expect(ends.map(({ stderr }) => /did not respond within (\d+ s)\. .* liminal stop\n$/.exec(stderr)?.[1])).toEqual([
      "10 s",
      "10 s",
      "20 s",
      "20 s",
    ]);
    for (const { code, stdout, stderr } of ends) {
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      // Clients that were greeted first print on the way that they still wait.
      const [last] = stderr.trimEnd().split("\n").slice(-1);
      expect(last).toStartWith("The server at http://127.0.0.1:");
      expect(stderr).not.toContain("responding again");
    }
  },
  COMMANDS_TIMEOUT_MS,
);

it.concurrent(
  "X-14 a command whose result never comes says so and fails, instead of ending with code 0",
  async () => {
    await using place = await TestServer.prepare();
    const preload = join(place.home, "lose-stdin.ts");
    await writeFile(preload, "Bun.stdin.text = () => new Promise(() => {});");
    const main = join(ROOT, "src/cli/main.ts");
    const child = Bun.spawn([process.execPath, "--preload", preload, main, "run", "--wait", "-"], {
      env: environmentOf(place),
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(await new Response(child.stderr).text()).toContain("The command ended before it had a result.");
    expect(await child.exited).toBe(1);
  },
  COMMANDS_TIMEOUT_MS,
);
