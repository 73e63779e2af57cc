import { describe, expect, it } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { isAlive, waitUntilGone } from "../../../tests/builtin-agent/process-watch.ts";
import { LIFELINE_OWNER } from "../../../tests/core/lifeline-owner.ts";
import { watchProcesses } from "../../../tests/support/leftover-processes.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { Lifeline } from "./lifeline.ts";
import { RUN_VARIABLE } from "./sweep-leftovers.ts";

const GONE_MS = 10_000;
const PATH = process.env["PATH"] ?? "";

function sleeper(env: Readonly<Record<string, string>>) {
  return Bun.spawn(["sleep", "300"], { env: { PATH, ...env }, detached: true });
}

/** The output of a program up to a line, or all of it. */
async function linesUntil(stream: ReadableStream<Uint8Array>, last: string): Promise<string[]> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.endsWith(`${last}\n`)) break;
  }
  return text.trim().split("\n");
}

describe.skipIf(process.platform !== "linux")("Lifeline", () => {
  it("X-21 a server killed with -9 leaves no agent, no child of one and no daemon behind", async () => {
    using processes = watchProcesses();
    const run = crypto.randomUUID();
    const bystander = sleeper({ ...processes.env, [RUN_VARIABLE]: `${run}0` });
    const owner = Bun.spawn([process.execPath, LIFELINE_OWNER, run], {
      env: { PATH, ...processes.env },
      stdout: "pipe",
    });
    const lines = await linesUntil(owner.stdout, "ready");
    const started = lines.slice(0, -1).flatMap((line) => line.split(" ").map(Number));
    expect(started).toHaveLength(6);
    expect(started.map(isAlive)).toEqual(started.map(() => true));
    owner.kill("SIGKILL");
    await owner.exited;
    for (const pid of started) await waitUntilGone(pid);
    expect(isAlive(bystander.pid)).toBe(true);
    bystander.kill("SIGKILL");
    expect(await processes.leftAfter(GONE_MS)).toEqual([]);
  });

  it("(B1) reads the marks of all processes with one program, however many there are", async () => {
    using processes = watchProcesses();
    await using dir = await tempDir();
    const calls = dir.join("calls");
    for (const program of ["grep", "tr"]) {
      const shim = `#!/bin/sh\necho ${program} >> ${calls}\nexec ${Bun.which(program)} "$@"\n`;
      await writeFile(dir.join(program), shim, { mode: 0o755 });
    }
    const run = crypto.randomUUID();
    const marked = sleeper({ ...processes.env, [RUN_VARIABLE]: run });
    const lifeline = new Lifeline(run, { PATH: `${dir.path}:${PATH}` });
    lifeline.begin();
    await lifeline.stop();
    await waitUntilGone(marked.pid);
    // The first call checks whether grep supports -z.
    expect(await readFile(calls, "utf8")).toBe("grep\ngrep\n");
  });

  it("a group that is still held is ended even without a mark", async () => {
    using processes = watchProcesses();
    const held = sleeper(processes.env);
    const lifeline = new Lifeline(crypto.randomUUID(), { PATH });
    lifeline.hold(held.pid);
    await lifeline.stop();
    expect(await processes.leftAfter(GONE_MS)).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("Lifeline: what it does not touch", () => {
  it("X-21 a group whose number was reused by another process is not touched", async () => {
    using processes = watchProcesses();
    const other = sleeper(processes.env);
    const lifeline = new Lifeline(crypto.randomUUID(), { PATH }, () => "1");
    lifeline.hold(other.pid);
    await lifeline.stop();
    expect(isAlive(other.pid)).toBe(true);
  });

  it("a released group is not ended: its number may belong to another process", async () => {
    using processes = watchProcesses();
    const released = sleeper(processes.env);
    const lifeline = new Lifeline(crypto.randomUUID(), { PATH });
    lifeline.hold(released.pid);
    lifeline.release(released.pid);
    await lifeline.stop();
    expect(isAlive(released.pid)).toBe(true);
  });

  it("stopping ends everything that carries the run's mark, whatever its parent", async () => {
    using processes = watchProcesses();
    const run = crypto.randomUUID();
    const marked = sleeper({ ...processes.env, [RUN_VARIABLE]: run });
    const lifeline = new Lifeline(run, { PATH });
    lifeline.hold(marked.pid);
    lifeline.release(marked.pid);
    await lifeline.stop();
    await marked.exited;
    expect(marked.signalCode).toBe("SIGKILL");
  });

  it("costs nothing without an agent, and can be stopped then", async () => {
    using processes = watchProcesses();
    const lifeline = new Lifeline(crypto.randomUUID(), { ...processes.env, PATH });
    lifeline.release(1);
    await lifeline.stop();
    expect(processes.alive()).toEqual([]);
  });
});
