import { expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { CommandRecords } from "./command-records.ts";
import { answersOn, isFreePort, portFor } from "./service-ports.ts";
import { afterEnd } from "./services.ts";

const failing = { restart: "on-failure", exitCode: 1, ranMs: 10, failures: 0 } as const;

test("a service that fails is started again with rising delays, up to a limit", () => {
  const delays: number[] = [];
  let failures = 0;
  for (;;) {
    const next = afterEnd({ ...failing, failures });
    if (next.state !== "waiting") {
      expect(next).toEqual({
        state: "failed",
        problem: "It ended with exit code 1, as did 5 restarts before. Read its terminal, then start it again.",
      });
      break;
    }
    delays.push(next.delayMs);
    failures = next.failures;
  }
  expect(delays).toEqual([...delays].sort((one, other) => one - other));
  expect(new Set(delays).size).toBe(5);
});

test("one that ran for a while begins with the shortest delay again", () => {
  expect(afterEnd({ ...failing, failures: 5, ranMs: 60_000 })).toEqual({ state: "waiting", delayMs: 500, failures: 1 });
  expect(afterEnd({ ...failing, failures: 5, ranMs: 59_999 }).state).toBe("failed");
});

test("a good end and Ctrl-C stop it; a signal is a failure; without a policy it is not started again", () => {
  expect(afterEnd({ ...failing, exitCode: 0 })).toEqual({ state: "stopped" });
  expect(afterEnd({ ...failing, exitCode: 130 })).toEqual({ state: "stopped" });
  expect(afterEnd({ ...failing, exitCode: null }).state).toBe("waiting");
  const end = afterEnd({ ...failing, exitCode: 3, restart: "never" });
  expect(end).toEqual({
    state: "failed",
    problem: "It ended with exit code 3. Read its terminal, then start it again.",
  });
});

async function withServer(host: string, port: number): Promise<Server & Disposable> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen({ host, port }, resolve));
  return Object.assign(server, { [Symbol.dispose]: () => void server.close() });
}

test("a service keeps its port while that is free, and gets another one when it is taken", async () => {
  await using dir = await tempDir();
  const open = () =>
    CommandRecords.open({ path: dir.join("records"), world: { now: () => 0, newId: () => "" }, warn: console.warn });
  const records = await open();
  // Keys of this test only, so that parallel runs look for ports elsewhere.
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const port = await portFor(records, one, isFreePort);
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(30_000);
  expect(await portFor(await open(), one, isFreePort)).toBe(port);
  expect(await portFor(records, other, isFreePort)).not.toBe(port);
  expect(await answersOn(port)).toBe(false);
  using _taken = await withServer("127.0.0.1", port);
  expect(await answersOn(port)).toBe(true);
  const next = await portFor(records, one, isFreePort);
  expect(next).not.toBe(port);
  expect(await portFor(records, one, isFreePort)).toBe(next);
});

test("a port of another service is not assigned twice, even while no program listens on it", async () => {
  await using dir = await tempDir();
  const records = await CommandRecords.open({
    path: dir.join("records"),
    world: { now: () => 0, newId: () => "" },
    warn: console.warn,
  });
  const first = await portFor(records, "key", async () => true);
  await records.keepPort("stranger", first + 1);
  // Its own port is taken now, and the next one belongs to another program.
  expect(await portFor(records, "key", async (port) => port !== first)).toBe(first + 2);
  await expect(portFor(records, "third", async () => false)).rejects.toThrow("No free port");
});
