import { expect, it } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { seededRandom } from "../../../tests/support/seeded-random.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { waitFor } from "../../../tests/support/wait-for.ts";
import { ClientTerminals, OutputMemory, OutputTail, TerminalLimits } from "./client-terminals.ts";

function scene(limits = new TerminalLimits()) {
  let count = 0;
  const printed: string[] = [];
  const terminals = new ClientTerminals({
    limits,
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

/** A process that has not been reaped is still listed after its end, as a zombie. */
function isAlive(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/\) Z /.test(readFileSync(path, "utf8"));
}

it("W-11 runs a command, streams its output, and reports how it ended", async () => {
  const { terminals, printed, run } = scene();
  const id = run("sh", ["-c", 'echo "$GREETING"; pwd; echo oops >&2; exit 3']);
  expect(await terminals.waitForExit(id)).toEqual({ exitCode: 3, signal: null });
  const { output, truncated, exit } = terminals.output(id);
  expect(output).toContain("hello\n");
  expect(output).toContain("oops\n");
  expect(printed.join("")).toBe(output);
  expect({ truncated, exit }).toEqual({ truncated: false, exit: { exitCode: 3, signal: null } });
});

it("W-11 a whole command line is run by the shell", async () => {
  const { terminals, run } = scene();
  const id = run("echo one && echo two | tr a-z A-Z");
  await terminals.waitForExit(id);
  expect(terminals.output(id).output).toBe("one\nTWO\n");
});

it("W-11 a daemon that the command leaves behind does not hide its end, nor what it printed", async () => {
  await using dir = await tempDir();
  const { terminals, run } = scene();
  const daemon = `setsid sh -c ': > ${dir.join("up")}; exec sleep 1000'`;
  const id = run("sh", ["-c", `${daemon} & echo $!; until [ -e ${dir.join("up")} ]; do :; done; exit 3`]);
  expect(await terminals.waitForExit(id)).toEqual({ exitCode: 3, signal: null });
  const pid = Number(terminals.output(id).output);
  expect(isAlive(pid)).toBe(true);
  process.kill(pid);
});

it("W-11 a kill ends everything the command started, and its output stays readable", async () => {
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
  expect(() => terminals.output(id)).toThrow("Terminal not found");
});

it("W-11 a command in the background does not keep the terminal open", async () => {
  const { terminals, run } = scene();
  const id = run("sh", ["-c", "sleep 1000 & echo done"]);
  expect(await terminals.waitForExit(id)).toEqual({ exitCode: 0, signal: null });
});

it("W-11 reports why a command could not be started", () => {
  expect(() => scene().run("/no/such/program", ["x"])).toThrow("/no/such/program");
});

it("W-11 keeps the end of a long output, cut between characters", async () => {
  const { terminals, run } = scene();
  const id = run("sh", ["-c", "for i in 1 2 3 4 5 6 7 8; do printf 'äöü'; done"], 10);
  await terminals.waitForExit(id);
  expect(terminals.output(id)).toMatchObject({ output: "üäöüäöü".slice(-5), truncated: true });
});

const KB = 1024;

it("W-11 (S12) keeps no more than its limit of bytes, however much is printed and however much memory there is", () => {
  for (const bytesMax of [100, 100 * KB]) {
    const memory = new OutputMemory(1_000 * KB);
    const tail = new OutputTail(bytesMax, memory);
    for (let index = 0; index < 50_000; index++) tail.push("0123456789");
    expect(tail.last(1_000 * KB)).toEqual({ text: "0123456789".repeat(bytesMax / 10), isTruncated: true });
    expect(memory.bytes).toBeLessThan(bytesMax);
  }
});

it("(S12) an output is the end of what was printed, whatever the sizes of its pieces and of its ring", () => {
  const random = seededRandom("output tail");
  for (let round = 0; round < 50; round++) {
    const tail = new OutputTail(random.between(1, 60 * KB), new OutputMemory(random.between(0, 60 * KB)));
    let all = "";
    for (let piece = 0; piece < 30; piece++) {
      const text = "0123456789abcdefä€😀".repeat(random.between(0, 300));
      tail.push(text);
      all += text;
      const { text: kept, isTruncated } = tail.last(random.between(1, 60 * KB));
      expect(all.endsWith(kept)).toBe(true);
      expect(isTruncated).toBe(kept.length < all.length);
    }
  }
});

it("(S12) many commands that print without end share a bounded memory, and are slowed down when they print too fast", async () => {
  const memoryBytesMax = 256 * KB;
  const bytesPerSecondMax = 16 * KB * KB;
  const limits = new TerminalLimits(memoryBytesMax, bytesPerSecondMax);
  const { terminals, printed, run } = scene(limits);
  const startedAt = performance.now();
  const count = 8;
  for (let index = 0; index < count; index++) run("yes", ["x".repeat(1_000)]);
  const charsSoFar = () => printed.reduce((sum, text) => sum + text.length, 0);
  await waitFor(charsSoFar, (chars) => chars > 24 * KB * KB, "24 megabytes of output");
  // On a busy machine a large piece may be read ahead of its turn; the next read then waits longer.
  const overRate = () => charsSoFar() - ((performance.now() - startedAt) / 1_000) * bytesPerSecondMax;
  await waitFor(overRate, (chars) => chars < 0, "the output to come down to its rate");
  expect(limits.memory.bytes).toBeLessThanOrEqual(memoryBytesMax);
  terminals.releaseAll();
  expect([limits.memory.bytes, limits.count]).toEqual([0, 0]);
});

it("(S12) one terminal too many is refused with advice; releasing one makes room", () => {
  const { terminals, run } = scene(new TerminalLimits());
  const ids = Array.from({ length: 64 }, () => run("true", ["x"]));
  expect(() => run("true", ["x"])).toThrow("Over the limit of 64 terminals for one session. Release unused");
  terminals.release(ids[0] ?? "");
  run("true", ["x"]);
  terminals.releaseAll();
});
