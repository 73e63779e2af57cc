import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { tempDir } from "../support/temp-dir.ts";
import { ENDLESS_BENCH } from "./endless-bench.ts";

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "X-21 a bench that %s breaks off leaves no temporary folder, its own or one of what it started",
  async (signal) => {
    await using dir = await tempDir();
    const bench = Bun.spawn(ENDLESS_BENCH, { env: { ...process.env, TMPDIR: dir.path }, stdout: "pipe" });
    const { value } = await bench.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe("begun\n");
    expect(readdirSync(dir.path)).not.toEqual([]);
    bench.kill(signal);
    expect(await bench.exited).toBe(130);
    expect(readdirSync(dir.path)).toEqual([]);
  },
);
