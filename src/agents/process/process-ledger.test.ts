import { describe, expect, it } from "bun:test";
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { identityOf, ProcessLedger } from "./process-ledger.ts";

const NO_PROC = "/no/such/place";
const NO_PROCESS = 2 ** 22 + 1;

describe("identityOf", () => {
  it.each(["/proc", NO_PROC])(
    "is the same for the same process, and null for one that has ended (%s)",
    async (proc) => {
      const child = Bun.spawn(["sleep", "300"]);
      const identity = identityOf(child.pid, proc);
      expect(identity).toBeString();
      expect(identityOf(child.pid, proc)).toBe(identity);
      expect(identityOf(NO_PROCESS, proc)).toBeNull();
      child.kill("SIGKILL");
      await child.exited;
      expect(identityOf(child.pid, proc)).toBeNull();
    },
  );

  it("differs from that of every other process", () => {
    expect(identityOf(process.pid)).not.toBe(identityOf(1));
  });
});

describe("ProcessLedger", () => {
  it("X-21 reports to the next run which processes were never removed, and starts empty", async () => {
    await using dir = await tempDir();
    const path = dir.join("agent-processes");
    const ledger = new ProcessLedger(path);
    expect(ledger.takeOver()).toEqual([]);
    ledger.add(process.pid);
    ledger.add(1);
    ledger.add(NO_PROCESS);
    ledger.remove(1);
    appendFileSync(path, "nonsense\n+ 77 torn in tw");
    expect(new ProcessLedger(path).takeOver()).toEqual([{ pid: process.pid, identity: identityOf(process.pid) ?? "" }]);
    expect(readFileSync(path, "utf8")).toBe("");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
