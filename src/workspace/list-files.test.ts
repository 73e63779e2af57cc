import { expect, it } from "bun:test";
import { rm } from "node:fs/promises";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { listGitFiles } from "./list-files.ts";

const GIT = Bun.which("git");
const MKFIFO = Bun.which("mkfifo");

it.skipIf(GIT === null || MKFIFO === null).each([".git/HEAD", ".git/index", ".git/config", ".gitignore"])(
  "a hostile repository whose %s never ends is given up in time, and Git with it",
  async (name) => {
    await using dir = await tempDir();
    Bun.spawnSync([GIT ?? "", "init", "-q", dir.path]);
    await Bun.write(dir.join("a.txt"), "a");
    await rm(dir.join(name), { force: true });
    expect(Bun.spawnSync([MKFIFO ?? "", dir.join(name)]).success).toBe(true);
    // Nothing is ever written to it: waiting for its end without a limit would never return.
    const listed = await listGitFiles(dir.path, { filesMax: 100, durationMsMax: 300 });
    expect(listed).toMatchObject({ isPartial: true });
  },
);
