import { afterEach, describe, expect, it, jest } from "bun:test";
import { existsSync } from "node:fs";
import { isAlive, waitUntilGone } from "../../../tests/builtin-agent/process-watch.ts";
import { watchProcesses } from "../../../tests/support/leftover-processes.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { waitFor } from "../../../tests/support/wait-for.ts";
import { AgentProcess } from "./agent-process.ts";
import { NotStartableError } from "./process-host.ts";

const GONE_MS = 5_000;

/** A shell script as the agent, with what it wrote. */
function start(script: string) {
  const processes = watchProcesses();
  const lines: string[] = [];
  const waiting: { text: string; resolve: () => void }[] = [];
  let stderr = "";
  const agent = new AgentProcess({
    command: ["/bin/sh", "-c", script],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "", ...processes.env },
    onLine: (line) => {
      lines.push(line);
      for (const { text, resolve } of waiting) if (line === text) resolve();
    },
    onStderr: (text) => {
      stderr += text;
    },
    onTooLong: () => lines.push("too long"),
  });
  return {
    agent,
    lines,
    processes,
    stderr: () => stderr,
    said: (text: string) =>
      new Promise<void>((resolve) => {
        if (lines.includes(text)) resolve();
        else waiting.push({ text, resolve });
      }),
    async [Symbol.asyncDispose]() {
      processes[Symbol.dispose]();
      await agent.exited;
    },
  };
}

describe("AgentProcess", () => {
  afterEach(() => void jest.useRealTimers());

  it("speaks in lines, and its end comes after everything it wrote", async () => {
    await using at = start('read -r word; echo "heard $word"; echo trouble >&2; printf "no end"; exit 7');
    at.agent.write("hello");
    const report = await at.agent.exited;
    expect(at.lines).toEqual(["heard hello", "no end"]);
    expect(report).toEqual({ code: 7, signal: null, stderrTail: "trouble" });
    expect(at.stderr()).toBe("trouble\n");
  });

  it("tells which signal ended it", async () => {
    await using at = start("echo up; exec sleep 300");
    await at.said("up");
    process.kill(at.agent.pid, "SIGKILL");
    expect(await at.agent.exited).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  it("writing to one that is gone goes nowhere and raises nothing", async () => {
    await using at = start("exit 0");
    await at.agent.exited;
    for (let line = 0; line < 100; line += 1) at.agent.write("too late".repeat(10_000));
    expect(await at.agent.stop()).toMatchObject({ code: 0 });
  });

  it("stop asks by closing stdin: one that listens leaves by itself", async () => {
    await using at = start("cat; echo bye; exit 5");
    expect(await at.agent.stop()).toMatchObject({ code: 5, signal: null });
    expect(at.lines).toEqual(["bye"]);
  });

  it("stop asks with SIGTERM after a grace, and one that hears it may still tidy up", async () => {
    await using at = start('trap "echo tidied; exit 0" TERM; echo up; while :; do sleep 300 & wait $!; done');
    await at.said("up");
    jest.useFakeTimers();
    const stopping = at.agent.stop();
    await null;
    jest.advanceTimersByTime(4_999);
    expect(isAlive(at.agent.pid)).toBe(true);
    jest.advanceTimersByTime(1);
    expect(await stopping).toMatchObject({ code: 0 });
    expect(at.lines).toEqual(["up", "tidied"]);
    jest.useRealTimers();
    expect(await at.processes.leftAfter(GONE_MS)).toEqual([]);
  });

  it("stop ends even one that is deaf to everything, with its children", async () => {
    await using at = start('trap "" TERM; (trap "" TERM; exec sleep 300) & echo up; while :; do sleep 300; done');
    await at.said("up");
    jest.useFakeTimers();
    const stopping = at.agent.stop();
    await null;
    jest.advanceTimersByTime(6_999);
    expect(isAlive(at.agent.pid)).toBe(true);
    jest.advanceTimersByTime(1);
    expect(await stopping).toMatchObject({ code: null, signal: "SIGKILL" });
    jest.useRealTimers();
    expect(await at.processes.leftAfter(GONE_MS)).toEqual([]);
  });

  it("TC-5.3a stop takes along what the agent started and left running", async () => {
    await using at = start("sleep 300 & echo up; exec cat");
    await at.said("up");
    await waitFor(
      () => at.processes.alive(),
      (alive) => alive.length === 2,
      "both processes to show their mark",
    );
    await at.agent.stop();
    expect(await at.processes.leftAfter(GONE_MS)).toEqual([]);
  });

  it("a child that holds the pipes open does not hide that the agent is gone", async () => {
    await using at = start('sleep 300 & echo "$!"; exit 3');
    expect(await at.agent.exited).toMatchObject({ code: 3 });
    await waitUntilGone(Number(at.lines[0]));
  });

  it("nor does a daemon in a session of its own that holds them open", async () => {
    await using dir = await tempDir();
    const daemon = `sleep 3; touch ${dir.join("waited")}; sleep 1`;
    await using at = start(`setsid sh -c '${daemon}' & sleep 0.2; exit 3`);
    expect(await at.agent.exited).toMatchObject({ code: 3 });
    expect(existsSync(dir.join("waited"))).toBe(false);
  });

  it("what cannot be started says so at once", () => {
    const spec = { env: {}, onLine: () => undefined, onStderr: () => undefined, onTooLong: () => undefined };
    expect(() => new AgentProcess({ ...spec, command: ["/no/such/program"], cwd: "/" })).toThrow(NotStartableError);
    expect(() => new AgentProcess({ ...spec, command: ["/bin/sh"], cwd: "/no/such/dir" })).toThrow(NotStartableError);
    expect(() => new AgentProcess({ ...spec, command: ["/etc/passwd"], cwd: "/" })).toThrow(NotStartableError);
  });
});
