import { expect, test } from "bun:test";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { ClientFileError, ClientFiles } from "../../src/agents/client/client-files.ts";
import { OutsideRootsError } from "../../src/agents/client/resolve-inside.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startSwapper } from "./link-swapper.ts";

const ROUNDS = 600;
const SECRET = "the secret outside";

/** A project with a directory that keeps turning into a link to a directory outside, which holds a secret. */
async function raceScene() {
  const dir = await tempDir();
  const [root, outside] = [dir.join("root"), dir.join("outside")];
  await mkdir(dir.join("root", "src"), { recursive: true });
  await mkdir(outside);
  await writeFile(dir.join("root", "src", "file.txt"), "harmless");
  await writeFile(dir.join("outside", "file.txt"), SECRET);
  const swapper = startSwapper({ path: dir.join("root", "src"), aside: dir.join("root", "aside"), target: outside });
  return { dir, outside, swapper, files: new ClientFiles([root]), path: (name: string) => dir.join("root/src", name) };
}

/** Null where it was refused in words; anything else that goes wrong is a fault. */
async function tried<Value>(act: Promise<Value>): Promise<Value | null> {
  try {
    return await act;
  } catch (error) {
    if (error instanceof OutsideRootsError || error instanceof ClientFileError) return null;
    throw error;
  }
}

test("W-10 a directory that becomes a link between check and opening never lets a read out of the root", async () => {
  const { dir, swapper, files, path } = await raceScene();
  await using _dir = dir;
  const read = new Set<string | null>();
  // Until it was met in both states, however long the other thread takes to begin.
  for (let round = 0; round < ROUNDS || read.size < 2; round++)
    read.add(await tried(files.read({ path: path("file.txt") })));
  expect(await swapper.stop()).toBeGreaterThan(0);
  expect(read).not.toContain(SECRET);
  expect(read).toEqual(new Set([null, "harmless"]));
});

test.skipIf(process.platform !== "linux")(
  "W-10 nor lets a write change, empty or make anything outside: no file, no directory",
  async () => {
    const { dir, outside, swapper, files, path } = await raceScene();
    await using _dir = dir;
    const written = new Set<string | null>();
    for (let round = 0; round < ROUNDS || written.size < 2; round++) {
      written.add(await tried(files.write(path("file.txt"), "changed").then(() => "written")));
      await tried(files.write(path(`new-${round}.txt`), "made"));
      await tried(files.write(path(`deep-${round}/er/new.txt`), "made"));
    }
    expect(await swapper.stop()).toBeGreaterThan(0);
    expect(await readdir(outside)).toEqual(["file.txt"]);
    expect(await readFile(`${outside}/file.txt`, "utf8")).toBe(SECRET);
  },
);
