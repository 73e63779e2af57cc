import { endWithSignals } from "../../bench/scene/end-with-signals.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A bench that has begun and does not end by itself, with a program of its own that has begun, too. */
export const ENDLESS_BENCH = [process.execPath, import.meta.path];
const PROGRAM = `require("node:fs").mkdtempSync(require("node:os").tmpdir() + "/of-the-program-"); process.stdin.resume(); console.log("begun")`;

if (import.meta.main) {
  endWithSignals();
  await using dir = await tempDir();
  await Bun.write(dir.join("data", "liminal.db"), "half a database");
  const program = Bun.spawn([process.execPath, "-e", PROGRAM], {
    env: { ...process.env },
    stdin: "pipe",
    stdout: "pipe",
  });
  for await (const said of program.stdout) process.stdout.write(said);
  await program.exited;
}
