import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory that is gone when the test is. */
export function temporaryDirectory(): { path: string } & Disposable {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "liminal-guide-")));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
