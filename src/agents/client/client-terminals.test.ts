import { expect, it } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { waitFor } from "../../../tests/support/wait-for.ts";
import { ClientTerminals } from "./client-terminals.ts";
import { OutputTail } from "./output-tail.ts";

function scene() {
  let count = 0;
  const printed: string[] = [];
  const terminals = new ClientTerminals({
    newId: () => `terminal-${++count}`,
    onOutput: (_, text) => printed.push(text),
  });
  const run = (command: string, args: readonly string[] = [], outputByteLimit?: number) =>
    terminals.create({
      command,
      args,
      env: { PATH: process.env["PATH"] ?? "", GREETING: "hello" },
      cwd: tmpdir(),
      ...(outputByteLimit !== undefined && { outputByteLimit }),
    });
  return { terminals, printed, run };
}

/** A process that nobody has asked about yet is still listed after its end, as a zombie. */
function isAlive(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/\) Z /.test(readFileSync(path, "utf8"));
}

it("W-11 runs a command, streams what it prints, and tells how it ended", async () => {
  const { terminals, printed, run } = scene();
  const id = run("sh", ["-c", 'echo "$GREETING"; pwd; echo oops >&2; exit 3']);
  expect(await terminals.waitForExit(id)).toEqual({ exitCode: 3, signal: null });
  const { output, truncated, exit } = terminals.output(id);
  expect(output).toContain("hello\n");
  expect(output).toContain("oops\n");
  expect(printed.join("")).toBe(output);
  expect({ truncated, exit }).toEqual({ truncated: false, exit: { exitCode: 3, signal: null } });
});

it("W-11 a whole command line is the shell's to read", async () => {
  const { terminals, run } = scene();
  const id = run("echo one && echo two | tr a-z A-Z");
  await terminals.waitForExit(id);
  expect(terminals.output(id).output).toBe("one\nTWO\n");
});

it("W-11 a kill ends everything the command started and leaves its output readable", async () => {
  const { terminals, printed, run } = scene();
  const id = run("sh", ["-c", "sleep 1000 & echo $!; wait"]);
  while (printed.length === 0) await new Promise(setImmediate);
  terminals.kill(id);
  expect(await terminals.waitForExit(id)).toEqual({ exitCode: null, signal: "SIGKILL" });
  const child = Number(terminals.output(id).output);
  await waitFor(
    () => isAlive(child),
    (alive) => !alive,
    "the command's own child to be gone",
  );
  terminals.release(id);
  expect(() => terminals.output(id)).toThrow("no such terminal");
});

it("W-11 a command in the background does not keep the terminal open", async () => {
  const { terminals, run } = scene();
  const id = run("sh", ["-c", "sleep 1000 & echo done"]);
  expect(await terminals.waitForExit(id)).toEqual({ exitCode: 0, signal: null });
});

it("W-11 says why a command could not be started", () => {
  expect(() => scene().run("/no/such/program", ["x"])).toThrow("/no/such/program");
});

it("W-11 keeps the end of a long output, cut between characters", async () => {
  const { terminals, run } = scene();
  const id = run("sh", ["-c", "for i in 1 2 3 4 5 6 7 8; do printf 'äöü'; done"], 10);
  await terminals.waitForExit(id);
  expect(terminals.output(id)).toMatchObject({ output: "üäöüäöü".slice(-5), truncated: true });
});

it("holds no more than twice its limit while it grows", () => {
  const tail = new OutputTail(100);
  for (let index = 0; index < 10_000; index++) tail.push("0123456789");
  expect(tail.text).toHaveLength(100);
  expect(tail.isTruncated).toBe(true);
});
