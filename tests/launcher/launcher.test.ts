import { describe, expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { watchProcesses } from "../support/leftover-processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { runLauncher, runningProcess, startLauncher } from "./run-launcher.ts";
import { BINARY_PACKAGE, samplePackage, writeTree } from "./sample-package.ts";

/** Prints each signal it gets, ends after the second. */
const COUNTS_SIGNALS = `
  let count = 0;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      console.log(signal);
      if (++count === 2) process.exit(0);
    });
  }
  setInterval(() => {}, 1_000);
  console.log("ready");
`;

describe("finding Bun", () => {
  test.each(["own-package", "linked-package"] as const)("runs with the binary from: %s (E6)", async (place) => {
    await using dir = await samplePackage('console.log("Bun", Bun.version);', place);
    expect(await runLauncher(dir, ["version"])).toEqual({ code: 0, stdout: `Bun ${Bun.version}\n`, stderr: "" });
  });

  test("reports what is missing, with advice, when there is only the placeholder", async () => {
    await using dir = await samplePackage("", "nowhere");
    const { code, stdout, stderr } = await runLauncher(dir, ["version"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(BINARY_PACKAGE);
    expect(stderr).toContain(`Run "npm install" in ${dir.path}`);
    expect(stderr).not.toContain("    at ");
  });
});

describe("handing over", () => {
  test("the launcher becomes the program: one process, with the same id and the caller's stdin", async () => {
    using processes = watchProcesses();
    await using dir = await samplePackage("for await (const line of console) console.log(process.pid, line);");
    const child = Bun.spawn([dir.join("bin/liminal"), "ls"], {
      env: { ...process.env, ...processes.env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.write("hello\n");
    await child.stdin.flush();
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe(`${child.pid} hello\n`);
    expect(processes.alive().map(({ pid }) => pid)).toEqual([child.pid]);
    await child.stdin.end();
    expect(await child.exited).toBe(0);
  });

  test("works through links, from any folder, and where PATH has nothing", async () => {
    await using dir = await samplePackage("console.log(process.argv.slice(2));");
    await using cwd = await tempDir();
    await symlink(dir.join("bin/liminal"), cwd.join("first"));
    await symlink("first", cwd.join("second"));
    for (const command of [["./second"], ["sh", "second"]])
      expect(Bun.spawnSync([...command, "ls"], { cwd: cwd.path }).stdout.toString()).toBe('[ "ls" ]\n');
    expect((await runLauncher(dir, ["ls"], { env: { PATH: "/nowhere" } })).stdout).toBe('[ "ls" ]\n');
  });

  test("does the same where there is no shell: node bin/liminal.mjs", async () => {
    await using dir = await samplePackage("console.log(process.argv.slice(2)); process.exitCode = 7;");
    const { exitCode, stdout } = Bun.spawnSync(["node", dir.join("bin/liminal.mjs"), "ls", "a b"]);
    expect({ exitCode, stdout: stdout.toString() }).toEqual({ exitCode: 7, stdout: '[ "ls", "a b" ]\n' });
  });

  test("passes arguments and folder on, and the exit code back", async () => {
    await using dir = await samplePackage("console.log(process.cwd(), process.argv.slice(2)); process.exitCode = 7;");
    await using cwd = await tempDir();
    const { code, stdout } = await runLauncher(dir, ["ls", "--json", "a b"], { cwd: cwd.path });
    expect(code).toBe(7);
    expect(stdout).toBe(`${cwd.path} [ "ls", "--json", "a b" ]\n`);
  });

  test("reports a death by signal as a shell does", async () => {
    await using dir = await samplePackage('process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1_000);');
    expect((await runLauncher(dir, ["ls"])).code).toBe(128 + 9);
  });

  test("runs nothing that settings of the user's folder name", async () => {
    await using dir = await samplePackage('console.log("secret:", process.env.SECRET);');
    await using cwd = await tempDir();
    await writeTree(cwd.path, {
      "bunfig.toml": 'preload = ["./preload.ts"]',
      "preload.ts": 'console.log("foreign code");',
      ".env": "SECRET=foreign",
    });
    expect((await runLauncher(dir, ["ls"], { cwd: cwd.path })).stdout).toBe("secret: undefined\n");
  });
});

describe("signals", () => {
  test("without a shell, several within a second are one; a later one is passed on again", async () => {
    await using dir = await samplePackage(COUNTS_SIGNALS);
    await using launcher = runningProcess(["node", dir.join("bin/liminal.mjs"), "ls"], dir.path, {});
    expect(await launcher.line()).toBe("ready");
    // Before the launcher has the first one and after the program has the second: however late each of them is told.
    const sentAt = performance.now();
    launcher.kill("SIGINT");
    expect(await launcher.line()).toBe("SIGINT");
    const insisting = setInterval(() => launcher.kill("SIGTERM"), 20);
    const second = await launcher.line();
    clearInterval(insisting);
    expect(second).toBe("SIGTERM");
    expect(performance.now() - sentAt).toBeGreaterThan(900);
    expect(await launcher.exited).toBe(0);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s ends the server, which ends in its own way",
    async (signal) => {
      const ends = `process.on("${signal}", () => process.exit(3)); setInterval(() => {}, 1_000); console.log("ready");`;
      await using dir = await samplePackage(ends);
      await using launcher = startLauncher(dir, ["ls"]);
      await launcher.line();
      launcher.kill(signal);
      expect(await launcher.exited).toBe(3);
    },
  );

  test("a SIGTERM to npm start reaches the server, and npm waits for it", async () => {
    using processes = watchProcesses();
    const ends = 'process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1_000); console.log("ready");';
    await using dir = await samplePackage(ends);
    const { scripts } = await Bun.file(join(import.meta.dirname, "../../package.json")).json();
    // Without the page's sources there is nothing to build, so "ls" stands in for "serve".
    const start = scripts.start.replace("serve", "ls");
    await writeTree(dir.path, { "package.json": JSON.stringify({ type: "module", scripts: { start } }) });
    await using npm = runningProcess(["npm", "start", "--silent"], dir.path, processes.env);
    expect(await npm.line()).toBe("ready");
    expect(processes.alive()).toHaveLength(2);
    npm.kill("SIGTERM");
    await npm.exited;
    expect(processes.alive()).toEqual([]);
  });
});
