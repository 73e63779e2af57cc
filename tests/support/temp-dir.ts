import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that lives as long as its test. */
export type TempDir = AsyncDisposable & {
  readonly path: string;
  /** The path of something inside. */
  join(...parts: string[]): string;
};

/** `await using dir = await tempDir()`; the path is real, so that programs which resolve links agree with the test. */
export async function tempDir(): Promise<TempDir> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "liminal-")));
  return {
    path,
    join: (...parts) => join(path, ...parts),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
