import { describe, expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { DataDir } from "./data-dir.ts";
import { AlreadyRunningError, InstanceLock } from "./instance-lock.ts";

const NOTE = {
  pid: 4711,
  port: 3000,
  origin: "http://127.0.0.1:3000",
  startedAt: "2026-01-01T00:00:00.000Z",
  version: "1",
};

/** A separate process that holds the lock and reports it. */
async function holderIn(path: string) {
  const program = `
    const { DataDir } = await import(${JSON.stringify(`${import.meta.dir}/data-dir.ts`)});
    const { InstanceLock } = await import(${JSON.stringify(`${import.meta.dir}/instance-lock.ts`)});
    globalThis.lock = new InstanceLock(new DataDir(${JSON.stringify(path)}));
    lock.announce({ pid: process.pid, port: 3000, origin: "http://127.0.0.1:3000", startedAt: "", version: "1" });
    console.log("held");
    setInterval(() => undefined, 60_000);`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  for await (const _ of child.stdout) break;
  return child;
}

describe("InstanceLock", () => {
  it("one data directory has one server, and the second one gets the first one's note", async () => {
    await using dir = await tempDir();
    const data = new DataDir(dir.path);
    using first = new InstanceLock(data);
    expect(() => new InstanceLock(data)).toThrow(AlreadyRunningError);
    first.announce(NOTE);
    expect(() => new InstanceLock(data)).toThrow(
      `${dir.path} is in use by another Liminal Builder (process 4711, port 3000)`,
    );
    await using other = await tempDir();
    new InstanceLock(new DataDir(other.path))[Symbol.dispose]();
  });

  it("is free again after release, and the note is removed", async () => {
    await using dir = await tempDir();
    const data = new DataDir(dir.path);
    const first = new InstanceLock(data);
    first.announce(NOTE);
    first[Symbol.dispose]();
    expect(existsSync(data.file("server.json"))).toBe(false);
    new InstanceLock(data)[Symbol.dispose]();
  });

  it("is acquired despite commands that check whether a server runs", async () => {
    await using dir = await tempDir();
    const data = new DataDir(dir.path);
    new InstanceLock(data)[Symbol.dispose]();
    const program = `
      const { isLockHeld } = await import(${JSON.stringify(`${import.meta.dir}/instance-lock.ts`)});
      console.log("looking");
      for (;;) isLockHeld(${JSON.stringify(dir.path)});`;
    const looking = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
    let hasLooked = false;
    for await (const _ of looking.stdout) {
      hasLooked = true;
      break;
    }
    expect(hasLooked).toBe(true);
    for (let start = 0; start < 300; start++) new InstanceLock(data)[Symbol.dispose]();
    looking.kill("SIGKILL");
    await looking.exited;
  });

  it("is acquired when a command that looks was held up in the middle of it", async () => {
    await using dir = await tempDir();
    const data = new DataDir(dir.path);
    new InstanceLock(data)[Symbol.dispose]();
    // Longer than the lock is waited for at once.
    const program = `
      const { DatabaseSync } = await import("node:sqlite");
      const db = new DatabaseSync(${JSON.stringify(data.file("lock"))}, { readOnly: true });
      globalThis.rows = db.prepare("SELECT 1 UNION ALL SELECT count(*) FROM sqlite_master").iterate();
      rows.next();
      setTimeout(() => process.exit(0), 1_200);
      console.log("looking");`;
    const looking = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
    for await (const _ of looking.stdout) break;
    new InstanceLock(data)[Symbol.dispose]();
    expect(await looking.exited).toBe(0);
  });

  it("X-1 holds between processes, and is free the moment its holder was killed with -9", async () => {
    await using dir = await tempDir();
    const data = new DataDir(dir.path);
    const holder = await holderIn(dir.path);
    expect(() => new InstanceLock(data)).toThrow(`process ${holder.pid}`);
    holder.kill("SIGKILL");
    await holder.exited;
    new InstanceLock(data)[Symbol.dispose]();
  });
});
