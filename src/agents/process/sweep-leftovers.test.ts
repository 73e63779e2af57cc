import { describe, expect, it } from "bun:test";
import { isAlive, waitUntilGone } from "../../../tests/builtin-agent/process-watch.ts";
import { identityOf } from "./process-ledger.ts";
import { findMarked, OWNER_VARIABLE, RUN_VARIABLE, sweepLeftovers } from "./sweep-leftovers.ts";

/** A process we did not start: only its environment names the owner. */
function sleeper(env: Readonly<Record<string, string>>): AsyncDisposable & { pid: number; exited: Promise<number> } {
  const child = Bun.spawn(["sleep", "300"], { env: { PATH: process.env["PATH"] ?? "", ...env }, detached: true });
  return {
    pid: child.pid,
    exited: child.exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** The same in its own group, with its output. */
function group(script: string) {
  const child = Bun.spawn(["/bin/sh", "-c", script], { stdout: "pipe", detached: true });
  return {
    pid: child.pid,
    stdout: child.stdout,
    exited: child.exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const { value } = await stream.getReader().read();
  return new TextDecoder().decode(value).split("\n")[0] ?? "";
}

/** A process shows its own environment only after exec; before that, it shows ours. */
async function running(...pids: number[]): Promise<void> {
  for (const pid of pids)
    while ((await Bun.file(`/proc/${pid}/cmdline`).text()) !== "sleep\x00300\x00") await Bun.sleep(1);
}

describe.skipIf(process.platform !== "linux")("sweepLeftovers", () => {
  it("X-21 ends processes that carry the mark of the data directory, and only those", async () => {
    const owner = crypto.randomUUID();
    await using left = sleeper({ [OWNER_VARIABLE]: owner, OTHER: "x" });
    await using longer = sleeper({ [OWNER_VARIABLE]: `${owner}0` });
    await using prefixed = sleeper({ [`X_${OWNER_VARIABLE}`]: owner });
    await using mentioned = sleeper({ NOTE: `${OWNER_VARIABLE}=${owner}` });
    await using unmarked = sleeper({});
    const others = [longer, prefixed, mentioned, unmarked].map(({ pid }) => pid);
    await running(left.pid, ...others);
    expect(findMarked(owner)).toMatchObject([{ pid: left.pid, command: "sleep 300" }]);
    expect(sweepLeftovers(owner)).toEqual([{ pid: left.pid, command: "sleep 300" }]);
    await left.exited;
    expect(others.map(isAlive)).toEqual([true, true, true, true]);
    expect(sweepLeftovers(owner)).toEqual([]);
  });

  it("X-21 ends processes that the last run recorded, with their groups, and no other process with a reused number", async () => {
    await using left = group("sleep 300 & echo $!; exec sleep 300");
    await using other = sleeper({});
    const child = Number(await firstLine(left.stdout));
    await running(left.pid, other.pid);
    const identity = identityOf(left.pid) ?? "";
    const ledger = [
      { pid: left.pid, identity },
      { pid: other.pid, identity: `${identity}0` },
      { pid: 1, identity },
    ];
    expect(sweepLeftovers(crypto.randomUUID(), ledger)).toEqual([{ pid: left.pid, command: "sleep 300" }]);
    await left.exited;
    await waitUntilGone(child);
    expect(isAlive(other.pid)).toBe(true);
  });

  it("X-19 does not touch held processes and their children", async () => {
    const owner = crypto.randomUUID();
    await using holder = sleeper({ [OWNER_VARIABLE]: owner });
    await using held = sleeper({ [OWNER_VARIABLE]: owner, [RUN_VARIABLE]: "held" });
    await using other = sleeper({ [OWNER_VARIABLE]: owner, [RUN_VARIABLE]: "other" });
    await running(holder.pid, held.pid, other.pid);
    const kept = { pids: new Set([holder.pid]), runs: new Set(["held"]) };
    expect(sweepLeftovers(owner, [], kept).map(({ pid }) => pid)).toEqual([other.pid]);
    await other.exited;
    expect([holder, held].map(({ pid }) => isAlive(pid))).toEqual([true, true]);
  });

  it("never ends the sweeping process", async () => {
    const owner = crypto.randomUUID();
    const program = `
      const { sweepLeftovers } = await import(${JSON.stringify(`${import.meta.dir}/sweep-leftovers.ts`)});
      console.log(JSON.stringify(sweepLeftovers(${JSON.stringify(owner)})));`;
    const child = Bun.spawn([process.execPath, "-e", program], {
      env: { PATH: process.env["PATH"] ?? "", [OWNER_VARIABLE]: owner },
      stdout: "pipe",
    });
    expect(await new Response(child.stdout).json()).toEqual([]);
    expect(await child.exited).toBe(0);
  });
});
