import { expect, it, test } from "bun:test";
import { EPOCH, NO_DESK, PLAIN_HOST } from "../../../tests/core/acp-scene.ts";
import { countingWorld } from "../../../tests/core/counting-world.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { CliType } from "../../protocol/ids.ts";
import type { AgentStatus } from "../../protocol/session-messages.ts";
import { RETRY_DELAYS_MS } from "../catalog/agent-definition.ts";
import { AgentProcess } from "../process/agent-process.ts";
import type { ProcessHost, ProcessSpec } from "../process/process-host.ts";
import { AgentSupervisor, RetrySchedule } from "./agent-supervisor.ts";

const ANSWERS = `
  for await (const line of console)
    console.log(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id, result: { protocolVersion: 1 } }));`;

const ANSWERS_AND_ENDS = `
  for await (const line of console) {
    console.log(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id, result: { protocolVersion: 1 } }));
    process.exit(8);
  }`;

/** Output and exit of a process arrive in one piece, as they can over a holder's socket. */
const IN_ONE_PIECE: ProcessHost = {
  start: (spec) => {
    const said: Parameters<ProcessSpec["onLine"]>[] = [];
    const process = new AgentProcess({ ...spec, onLine: (...line) => said.push(line) });
    const exited = process.exited.then((exit) => {
      for (const line of said) spec.onLine(...line);
      return exit;
    });
    return {
      ...{ pid: process.pid, started: process.started, checkpointBytes: process.checkpointBytes, exited },
      write: (line) => process.write(line),
      stop: () => process.stop(),
      takePast: () => process.takePast(),
      checkpoint: () => process.checkpoint(),
      release: () => process.release(),
    };
  },
};

interface Played {
  readonly script: string;
  readonly cwd: string;
  readonly host?: ProcessHost;
  readonly isExpected?: () => boolean;
  readonly onStatus: (status: AgentStatus) => void;
  readonly onError: (error: unknown) => void;
}

function supervise({ script, cwd, host = PLAIN_HOST, isExpected = () => false, onStatus, onError }: Played) {
  const definition = {
    id: CliType.parse("hasty"),
    name: "Hasty",
    command: [process.execPath, "-e", script],
    env: {},
    process: "shared",
    retryDelaysMs: [1],
    serves: { fs: false, terminal: false },
  } as const;
  return new AgentSupervisor({
    definition: () => definition,
    sessionId: null,
    world: countingWorld(),
    host,
    isHeld: false,
    cwd,
    env: async () => ({ PATH: process.env["PATH"] ?? "" }),
    epoch: EPOCH,
    clientVersion: "1",
    startTimeoutMs: 60_000,
    isExpected,
    onTurnCompleted: () => undefined,
    onAccount: () => undefined,
    guarded: [],
    desk: NO_DESK,
    onStatus: ({ status }) => onStatus(status),
    log: { info: () => undefined, warn: () => undefined },
    onError,
  });
}

test("W-4 an agent that ends with its first answer is never reported as connected", async () => {
  await using dir = await tempDir();
  const statuses: AgentStatus[] = [];
  const ended = Promise.withResolvers<void>();
  const supervisor = supervise({
    script: ANSWERS_AND_ENDS,
    cwd: dir.path,
    host: IN_ONE_PIECE,
    onStatus: (status) => {
      statuses.push(status);
      if (status === "disconnected") ended.resolve();
    },
    onError: ended.reject,
  });
  await expect(supervisor.ensure()).rejects.toThrow("Hasty");
  await ended.promise;
  expect([statuses, supervisor.running]).toEqual([["starting", "disconnected"], null]);
  await supervisor.stop();
});

test("W-6 a process that someone is about to use counts as busy, and is not put away", async () => {
  await using dir = await tempDir();
  const statuses: AgentStatus[] = [];
  let isExpected = true;
  const supervisor = supervise({
    script: ANSWERS,
    cwd: dir.path,
    isExpected: () => isExpected,
    onStatus: (status) => statuses.push(status),
    onError: (error) => {
      throw error;
    },
  });
  await supervisor.ensure();
  supervisor.evict("others need room");
  expect([supervisor.status, supervisor.running?.busy]).toEqual(["connected", true]);
  isExpected = false;
  expect(supervisor.running?.busy).toBe(false);
  supervisor.evict("others need room");
  expect(statuses).toEqual(["starting", "connected", "idle"]);
  await supervisor.stop();
});

it("waits 1, 2, 4, 8, 16 s, then stops retrying", () => {
  const schedule = new RetrySchedule(RETRY_DELAYS_MS);
  const delays = Array.from({ length: 7 }, () => schedule.next());
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, null, null]);
  expect(schedule.used).toBe(5);
});

it("starts over after a reset", () => {
  const schedule = new RetrySchedule([5]);
  schedule.next();
  expect(schedule.next()).toBeNull();
  schedule.reset();
  expect(schedule.next()).toBe(5);
});
