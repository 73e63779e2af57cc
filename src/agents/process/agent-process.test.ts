import { afterEach, describe, expect, it, jest } from "bun:test";
import { isAlive, waitUntilGone } from "../../../tests/builtin-agent/process-watch.ts";
import { watchProcesses } from "../../../tests/support/leftover-processes.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { waitFor } from "../../../tests/support/wait-for.ts";
import { AgentProcess, type SpawnHost, StderrTail, spawnPlan } from "./agent-process.ts";
import { NotStartableError } from "./process-host.ts";

const GONE_MS = 5_000;

/** Also while the timers are the test's. */
function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Runs a shell script as the agent and records its output. */
function start(script: string, room: () => Promise<void> | null = () => null) {
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
    room,
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

  it("communicates in lines, and its exit is reported after all output", async () => {
    await using at = start('read -r word; echo "heard $word"; echo trouble >&2; printf "no end"; exit 7');
    at.agent.write("hello");
    const report = await at.agent.exited;
    expect(at.lines).toEqual(["heard hello", "no end"]);
    expect(report).toEqual({ code: 7, signal: null, stderrTail: "trouble" });
    expect(at.stderr()).toBe("trouble\n");
  });

  it("reports the signal that ended it", async () => {
    await using at = start("echo up; exec sleep 300");
    await at.said("up");
    process.kill(at.agent.pid, "SIGKILL");
    expect(await at.agent.exited).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  it("ignores a write to an ended process", async () => {
    await using at = start("exit 0");
    await at.agent.exited;
    for (let line = 0; line < 100; line += 1) at.agent.write("too late".repeat(10_000));
    expect(await at.agent.stop()).toMatchObject({ code: 0 });
  });

  it("stop closes stdin first: a cooperative agent exits by itself", async () => {
    await using at = start("cat; echo bye; exit 5");
    expect(await at.agent.stop()).toMatchObject({ code: 5, signal: null });
    expect(at.lines).toEqual(["bye"]);
  });

  it("stop sends SIGTERM after a grace period, and a handler may still clean up", async () => {
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

  it("stop ends even an agent that ignores everything, with its children", async () => {
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

  it("TC-5.3a stop ends everything the agent started and left running", async () => {
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

  it("a child that holds the pipes open does not hide the agent's exit", async () => {
    await using at = start('sleep 300 & echo "$!"; exit 3');
    expect(await at.agent.exited).toMatchObject({ code: 3 });
    await waitUntilGone(Number(at.lines[0]));
  });

  it("nor does a daemon in its own session that holds them open", async () => {
    await using dir = await tempDir();
    const daemon = `: > ${dir.join("up")}; exec sleep 1000`;
    await using at = start(`setsid sh -c '${daemon}' & until [ -e ${dir.join("up")} ]; do sleep 0.01; done; exit 3`);
    expect(await at.agent.exited).toMatchObject({ code: 3 });
    await waitFor(
      () => at.processes.alive().map(({ commandLine }) => commandLine),
      (alive) => alive.join() === "sleep 1000",
      "the daemon alone to be there",
    );
  });

  it("nor does one that goes on writing into them, and all that the agent wrote has arrived", async () => {
    for (const daemon of ["yes daemon", "sh -c 'while echo daemon; do sleep 0.02; done'"]) {
      await using at = start(`yes agent | head -n 10000; setsid ${daemon} & exit 3`);
      expect(await at.agent.exited).toMatchObject({ code: 3 });
      expect(at.lines.filter((line) => line === "agent")).toHaveLength(10_000);
    }
  });

  it("what it wrote last arrives, however long the reader takes, with or without a process that holds the pipe", async () => {
    for (const holder of ["true;", "setsid sleep 2 &"]) {
      const [isFull, room] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let isOpen = false;
      jest.useFakeTimers();
      await using at = start(`echo up; read -r word; yes agent | head -n 10000; ${holder} exit 3`, () => {
        isFull.resolve();
        return isOpen ? null : room.promise;
      });
      await isFull.promise;
      at.agent.write("go");
      // Its last words fit into the pipe, so it ends while nobody reads them.
      while (isAlive(at.agent.pid)) await nextRound();
      for (let round = 0; round < 20; round += 1) {
        await nextRound();
        jest.advanceTimersByTime(1_000);
      }
      expect(at.lines).toEqual(["up"]);
      jest.useRealTimers();
      isOpen = true;
      room.resolve();
      expect(await at.agent.exited).toMatchObject({ code: 3 });
      expect(at.lines.filter((line) => line === "agent")).toHaveLength(10_000);
    }
  });

  it("a command that cannot be started is reported at once", () => {
    const spec = { env: {}, onLine: () => undefined, onStderr: () => undefined, onTooLong: () => undefined };
    expect(() => new AgentProcess({ ...spec, command: ["/no/such/program"], cwd: "/" })).toThrow(NotStartableError);
    expect(() => new AgentProcess({ ...spec, command: ["/bin/sh"], cwd: "/no/such/dir" })).toThrow(NotStartableError);
    expect(() => new AgentProcess({ ...spec, command: ["/etc/passwd"], cwd: "/" })).toThrow(NotStartableError);
  });
});

const NPM_SHIM = `@ECHO off\r\nIF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n)\r\n"%_prog%"  "%dp0%\\node_modules\\acme\\dist\\index.js" %*\r\n`;
const ENV = { Path: "C:\\tools;C:\\npm", PATHEXT: ".COM;.EXE;.BAT;.CMD", ComSpec: "C:\\Windows\\cmd.exe" };

function machine(files: Readonly<Record<string, string>>): SpawnHost {
  return { platform: "win32", isFile: (path) => path in files, read: (path) => files[path] ?? "" };
}

describe("spawnPlan", () => {
  it("quirk: on Windows the script behind an npm shim is started with Node, without a shell", () => {
    const host = machine({ "C:\\npm\\acme.cmd": NPM_SHIM, "C:\\tools\\node.exe": "" });
    expect(spawnPlan(["acme", "--acp", "a b"], ENV, host)).toEqual({
      command: ["C:\\tools\\node.exe", "C:\\npm\\node_modules\\acme\\dist\\index.js", "--acp", "a b"],
      verbatim: false,
    });
    const withNode = machine({ "C:\\npm\\acme.cmd": NPM_SHIM, "C:\\npm\\node.exe": "" });
    expect(spawnPlan(["acme"], ENV, withNode).command[0]).toBe("C:\\npm\\node.exe");
    expect(spawnPlan(["C:\\npm\\acme"], {}, machine({ "C:\\npm\\acme.cmd": NPM_SHIM })).command).toEqual([
      "node",
      "C:\\npm\\node_modules\\acme\\dist\\index.js",
    ]);
  });

  it("quirk: on Windows any other .cmd or .bat is run by cmd.exe, with every argument quoted", () => {
    const host = machine({ "C:\\tools\\acme.bat": "@echo off\r\nacme-core %*" });
    expect(spawnPlan(["acme", 'say "hi" & del %PATH% > x', "C:\\dir\\"], ENV, host)).toEqual({
      command: [
        "C:\\Windows\\cmd.exe",
        "/d",
        "/s",
        "/c",
        '"^"C:\\tools\\acme.bat^" ^"say^ \\^"hi\\^"^ ^&^ del^ ^%PATH^%^ ^>^ x^" ^"C:\\dir\\\\^""',
      ],
      verbatim: true,
    });
  });

  it("on Windows a program is resolved by PATH and PATHEXT, in order, and a missing one keeps its name", () => {
    const host = machine({ "C:\\tools\\acme.exe": "", "C:\\tools\\acme.cmd": NPM_SHIM, "C:\\npm\\acme.exe": "" });
    expect(spawnPlan(["acme", "x"], ENV, host)).toEqual({ command: ["C:\\tools\\acme.exe", "x"], verbatim: false });
    expect(spawnPlan(["acme.exe"], ENV, host).command).toEqual(["C:\\tools\\acme.exe"]);
    expect(spawnPlan(["other", "x"], ENV, host)).toEqual({ command: ["other", "x"], verbatim: false });
    expect(spawnPlan(["acme"], {}, host).command).toEqual(["acme"]);
  });

  it("elsewhere a command is unchanged", () => {
    const host = { ...machine({}), platform: "linux" } as const;
    expect(spawnPlan(["acme.cmd", "a b"], { PATH: "/bin" }, host)).toEqual({
      command: ["acme.cmd", "a b"],
      verbatim: false,
    });
  });
});

function tailOf(...chunks: string[]): string {
  const tail = new StderrTail();
  for (const chunk of chunks) tail.push(chunk);
  return tail.lastLines();
}

describe("StderrTail", () => {
  it("joins pieces to lines and drops blank lines at the end", () => {
    expect(tailOf("could not ", "find the key\nsorry", "\n\n  \n")).toBe("could not find the key\nsorry");
    expect(tailOf()).toBe("");
  });

  it("shows the last 20 lines, and the end of a long output", () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
    expect(tailOf(...lines.map((line) => `${line}\n`))).toBe(lines.slice(-20).join("\n"));
  });

  it("stays bounded without any line break", () => {
    const shown = tailOf(...Array.from({ length: 200 }, () => "x".repeat(1_000)), "the end");
    expect(shown.length).toBeLessThanOrEqual(16 * 1024);
    expect(shown).toEndWith("xthe end");
  });
});
