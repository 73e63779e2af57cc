import { describe, expect, it } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ProcessWatch, watchProcesses } from "../../../tests/support/leftover-processes.ts";
import { type TempDir, tempDir } from "../../../tests/support/temp-dir.ts";
import { waitFor } from "../../../tests/support/wait-for.ts";
import { FlowGate } from "../../lib/flow-gate.ts";
import { ownCommand } from "../../operations/own-program.ts";
import { Lifeline } from "../process/lifeline.ts";
import { NotStartableError, type PastLine, type SurvivingProcess } from "../process/process-host.ts";
import { OWNER_VARIABLE } from "../process/sweep-leftovers.ts";
import { HeldProcess } from "./held-process.ts";
import { HolderHost } from "./holder-host.ts";
import { readJournal } from "./journal.ts";

const LEFT_MS = 20_000;
const ECHO = 'echo ready; while read -r line; do echo "got $line"; done; echo over';

/** One data directory and a sequence of servers, each with its own host. */
class Scene implements AsyncDisposable {
  readonly #dir: TempDir;
  readonly processes: ProcessWatch = watchProcesses();
  readonly flow = new FlowGate();
  readonly #limits: { holdMs: number; journalBytesMax: number };
  readonly lines: string[] = [];

  constructor(dir: TempDir, limits: Partial<{ holdMs: number; journalBytesMax: number }>) {
    this.#dir = dir;
    this.#limits = { holdMs: 60_000, journalBytesMax: 10_000_000, ...limits };
  }

  get dir(): string {
    return this.#dir.path;
  }

  /** A new server that finds the agents of the one before. */
  host(): HolderHost {
    return new HolderHost({
      flow: this.flow,
      holder: ownCommand("agent-holder"),
      ...{ dir: this.dir, checkpointBytes: 1_000_000, ...this.#limits },
      lifeline: new Lifeline("run of the server", { PATH: process.env["PATH"] }),
      onError: (error) => {
        throw error;
      },
    });
  }

  start(...command: string[]): HeldProcess {
    const env = { PATH: process.env["PATH"] ?? "", [OWNER_VARIABLE]: "test", ...this.processes.env };
    return asHeld(
      this.host().start({ command, cwd: "/", env, held: { id: "one", label: "label" }, ...this.listeners }),
    );
  }

  readonly listeners = {
    onLine: (line: string, offset: number) => void this.lines.push(`${offset} ${line}`),
    onStderr: () => undefined,
    onTooLong: () => undefined,
  };

  /** The next server: the survivor it finds, and the lines from before it started. */
  async next(): Promise<{ left: SurvivingProcess; held: HeldProcess; past: readonly PastLine[] }> {
    const [left] = (await this.host().findSurvivors()).survivors;
    if (!left) throw new Error("nothing was left");
    const held = asHeld(left.start({ command: [], cwd: "/", env: {}, ...this.listeners }));
    return { left, held, past: held.takePast() };
  }

  async said(line: string): Promise<void> {
    await waitFor(
      () => this.lines,
      (lines) => lines.includes(line),
      `the line ${line}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.processes[Symbol.dispose]();
    await this.#dir[Symbol.asyncDispose]();
  }
}

async function scene(limits: Partial<{ holdMs: number; journalBytesMax: number }> = {}): Promise<Scene> {
  return new Scene(await tempDir(), limits);
}

function asHeld(hosted: unknown): HeldProcess {
  if (!(hosted instanceof HeldProcess)) throw new Error("not held");
  return hosted;
}

function textsOf(past: readonly PastLine[]): string[] {
  return past.map(({ direction, offset, text }) => `${offset} ${direction} ${text}`);
}

describe("X-19 a held process", () => {
  it("reads and writes through its holder; afterwards the process and its files are gone", async () => {
    await using at = await scene();
    const held = at.start("/bin/sh", "-c", ECHO);
    held.write("one");
    await at.said("3 got one");
    expect(at.lines).toEqual(["1 ready", "3 got one"]);
    expect(held.pid).toBeGreaterThan(0);
    expect(statSync(join(at.dir, "one")).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(join(at.dir, "one")))
      expect([name, statSync(join(at.dir, "one", name)).mode & 0o777]).toEqual([name, 0o600]);
    expect(await held.stop()).toMatchObject({ code: 0, signal: null });
    expect(at.lines.at(-1)).toBe("4 over");
    await held.release();
    expect(existsSync(join(at.dir, "one"))).toBe(false);
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
  });

  it("survives without a server; the next server reads everything since the last note and continues", async () => {
    await using at = await scene();
    const first = at.start("/bin/sh", "-c", ECHO);
    first.write("one");
    await at.said("3 got one");
    first.link?.end();
    const second = await at.next();
    expect(second.left.label).toBe("label");
    expect(textsOf(second.past)).toEqual(["1 in ready", "2 out one", "3 in got one"]);
    second.held.checkpoint(3, "all that is stored", 0);
    second.held.write("two");
    await at.said("6 got two");
    second.held.link?.end();
    const third = await at.next();
    expect(third.held.pid).toBe(second.held.pid);
    expect(textsOf(third.past)).toEqual(["3 note all that is stored", "5 out two", "6 in got two"]);
    await third.left.abandon();
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
    expect(readdirSync(at.dir)).toEqual([]);
  });

  it("is not read while nothing can be stored; its output stays in the journal, in order", async () => {
    await using at = await scene();
    const held = at.start("/bin/sh", "-c", ECHO);
    await at.said("1 ready");
    at.flow.close();
    for (let line = 0; line < 100; line++) held.write(String(line));
    await waitFor(
      () => readJournal(join(at.dir, "one")).filter(({ text }) => text.startsWith("got")).length,
      (count) => count === 100,
      "the agent's words in the journal",
    );
    expect(at.lines).toEqual(["1 ready"]);
    at.flow.open();
    await at.said("201 got 99");
    expect(at.lines.slice(1).map((line) => line.replace(/^\d+ /, ""))).toEqual(
      Array.from({ length: 100 }, (_, line) => `got ${line}`),
    );
    await held.stop();
    await held.release();
  });

  it("serves one server: a newer one replaces it", async () => {
    await using at = await scene();
    const first = at.start("/bin/sh", "-c", ECHO);
    await at.said("1 ready");
    const second = await at.next();
    expect(await first.exited).toMatchObject({ signal: "SIGKILL" });
    first.write("from the old one");
    second.held.write("from the new one");
    await at.said("3 got from the new one");
    await second.left.abandon();
  });

  it("that cannot be started reports why", async () => {
    await using at = await scene();
    const held = at.start("/no/such/agent");
    await expect(held.started).rejects.toThrow(NotStartableError);
    await held.release();
    expect(readdirSync(at.dir)).toEqual([]);
  });

  it("that ends without a server is read completely, with its exit", async () => {
    await using at = await scene();
    const held = at.start("/bin/sh", "-c", 'read -r line; echo "last $line"; echo why >&2; exit 3');
    await held.started;
    held.write("word");
    held.link?.end();
    await waitFor(
      () => at.processes.alive(),
      (alive) => alive.every(({ pid }) => pid !== held.pid),
      "its end",
    );
    const { held: again, past } = await at.next();
    const exit = await again.exited;
    expect([...textsOf(past).filter((line) => line.includes(" in ")), ...at.lines].at(-1)).toContain("last word");
    expect(exit).toEqual({ code: 3, signal: null, stderrTail: "why" });
    await again.release();
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
  });

  it("is paused when it writes more than the journal holds, and nothing is lost", async () => {
    const count = 300_000;
    await using at = await scene({ journalBytesMax: 500_000 });
    const held = at.start("/bin/sh", "-c", `read -r go; seq 1 ${count}; read -r end`);
    await held.started;
    held.write("go");
    held.link?.end();
    const bytes = () =>
      readdirSync(join(at.dir, "one")).reduce((sum, name) => sum + statSync(join(at.dir, "one", name)).size, 0);
    await waitFor(bytes, (size) => size >= 500_000, "the journal to be full");
    const next = await at.next();
    const heard = next.past.filter(({ direction }) => direction === "in").length;
    expect(heard).toBeLessThan(count);
    let last = next.past.at(-1)?.offset ?? 0;
    // Each note makes room for more.
    for (let noted = 0; at.lines.length + heard < count; ) {
      last = Number(at.lines.at(-1)?.split(" ")[0] ?? last);
      if (last > noted) next.held.checkpoint(last, "", 0);
      noted = last;
      await waitFor(
        () => at.lines.length,
        (size) => size + heard >= count || Number(at.lines.at(-1)?.split(" ")[0]) > noted,
        "more",
      );
    }
    const said = [
      ...next.past.filter(({ direction }) => direction === "in").map(({ text }) => text),
      ...at.lines.map((line) => line.split(" ")[1]),
    ];
    expect(said.length).toBe(count);
    expect(said.findIndex((text, index) => text !== String(index + 1))).toBe(-1);
    await next.left.abandon();
  });

  it("is ended if no server attaches for long enough, with all of its children and files", async () => {
    await using at = await scene({ holdMs: 50 });
    const held = at.start("/bin/sh", "-c", "sleep 300 & setsid sleep 301 & echo ready; read -r line");
    await at.said("1 ready");
    held.link?.end();
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
    expect(readdirSync(at.dir)).toEqual([]);
  });

  it("ends with a holder that is killed with -9; its output is read from the journal", async () => {
    await using at = await scene();
    const held = at.start("/bin/sh", "-c", `setsid sleep 302 & ${ECHO}`);
    held.write("one");
    await at.said("3 got one");
    process.kill(held.link?.hello.pid ?? 0, "SIGKILL");
    expect(await held.exited).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
    const { held: again, past } = await at.next();
    expect(textsOf(past)).toEqual(["1 in ready", "2 out one", "3 in got one"]);
    expect(await again.exited).toMatchObject({ signal: "SIGKILL" });
    await again.release();
    expect(readdirSync(at.dir)).toEqual([]);
  });

  it("whose journal is damaged while running is read up to the damage, and ends with its holder", async () => {
    await using at = await scene();
    const first = at.start("/bin/sh", "-c", ECHO);
    first.write("one");
    await at.said("3 got one");
    first.link?.end();
    const journal = join(at.dir, "one", "journal-000000001");
    const bytes = readFileSync(journal);
    writeFileSync(journal, bytes.fill(0xff, bytes.byteLength - 4));
    const { held, past } = await at.next();
    expect(textsOf(past)).toEqual(["1 in ready", "2 out one"]);
    expect(await held.exited).toMatchObject({ signal: "SIGKILL" });
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
    await held.release();
    expect(readdirSync(at.dir)).toEqual([]);
  });

  it("whose journal is damaged is not kept: a sweep may end it", async () => {
    await using at = await scene();
    const first = at.start("/bin/sh", "-c", ECHO);
    await at.said("1 ready");
    first.link?.end();
    const journal = join(at.dir, "one", "journal-000000001");
    writeFileSync(journal, readFileSync(journal).fill(0xff, 4));
    const { kept } = await at.host().findSurvivors();
    expect(kept).toEqual({ pids: new Set(), runs: new Set() });
  });
});
