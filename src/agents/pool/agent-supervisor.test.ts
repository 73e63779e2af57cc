import { expect, it, test } from "bun:test";
import { EPOCH, NO_DESK } from "../../../tests/core/acp-scene.ts";
import { countingWorld } from "../../../tests/core/counting-world.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { CliType } from "../../protocol/ids.ts";
import type { AgentStatus } from "../../protocol/session-messages.ts";
import { RETRY_DELAYS_MS } from "../catalog/agent-definition.ts";
import { AgentProcess } from "../process/agent-process.ts";
import type { ProcessHost, ProcessSpec } from "../process/process-host.ts";
import { AgentSupervisor, RetrySchedule } from "./agent-supervisor.ts";

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

test("W-4 an agent that ends with its first answer is never reported as connected", async () => {
  await using dir = await tempDir();
  const statuses: AgentStatus[] = [];
  const definition = {
    id: CliType.parse("hasty"),
    name: "Hasty",
    command: [process.execPath, "-e", ANSWERS_AND_ENDS],
    env: {},
    process: "shared",
    retryDelaysMs: [1],
    serves: { fs: false, terminal: false },
  } as const;
  const ended = Promise.withResolvers<void>();
  const supervisor = new AgentSupervisor({
    definition: () => definition,
    sessionId: null,
    world: countingWorld(),
    host: IN_ONE_PIECE,
    isHeld: false,
    cwd: dir.path,
    env: async () => ({ PATH: process.env["PATH"] ?? "" }),
    epoch: EPOCH,
    clientVersion: "1",
    startTimeoutMs: 60_000,
    onTurnCompleted: () => undefined,
    onAccount: () => undefined,
    guarded: [],
    desk: NO_DESK,
    onStatus: ({ status }) => {
      statuses.push(status);
      if (status === "disconnected") ended.resolve();
    },
    log: { info: () => undefined, warn: () => undefined },
    onError: ended.reject,
  });
  await expect(supervisor.ensure()).rejects.toThrow("Hasty");
  await ended.promise;
  expect([statuses, supervisor.running]).toEqual([["starting", "disconnected"], null]);
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
