import { expect, test } from "bun:test";
import { chmod, lstat, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readCheckpoint, storeCheckpoint } from "../../src/workspace/vault/checkpoint.ts";
import { move } from "../../src/workspace/vault/move.ts";
import { scan } from "../../src/workspace/vault/scan.ts";
import { roundsOf, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { gitScene, picture } from "./git-scene.ts";

const STEPS_FULL = 10_000;
/** All steps take minutes; `--rounds` says how many of them run. */
const TIMEOUT_MS = 20 * 60_000;
/** Few names, so that files, links and directories often take each other's place. */
const NAMES = ["a", "b", "c", "d.txt", "ü", "-x", "n\nl"];
const EDITS_PER_STEP_MAX = 4;

async function editOne(root: string, random: SeededRandom): Promise<void> {
  const depth = random.between(1, 3);
  const path = join(root, ...Array.from({ length: depth }, () => random.pick(NAMES)));
  // A file or a link on the way gives way to a directory.
  for (let parent = dirname(path); parent !== root; parent = dirname(parent)) {
    const stats = await lstat(parent).catch(() => null);
    if (stats !== null && !stats.isDirectory()) await rm(parent);
  }
  await rm(path, { recursive: true, force: true });
  if (random.fraction() < 0.25) return;
  await mkdir(dirname(path), { recursive: true });
  if (random.fraction() < 0.15) return symlink(random.pick(["a", "/nowhere", "../b"]), path);
  await writeFile(path, `${random.pick(["", "\r\n", "\0"])}${random.between(1, 9)}\n`.repeat(random.between(0, 3)));
  if (random.fraction() < 0.2) await chmod(path, 0o755);
}

test(
  "WS-11 random edits, checkpoints, restores and undos agree with plain copies of the directory",
  async () => {
    const random = seededRandom("edits and restores");
    await using at = await gitScene();
    const vault = await at.openVault();
    const repository = await picture(join(at.root, ".git"), []);
    const states = new Map<string, Record<string, string>>();
    const remember = async (id: string) => states.set(id, await picture(at.root));
    const steps = roundsOf(STEPS_FULL);
    let restores = 0;
    for (let step = 0; step < steps; step++) {
      const action = random.fraction();
      if (action < 0.5) {
        for (let edit = random.between(1, EDITS_PER_STEP_MAX); edit > 0; edit--) await editOne(at.root, random);
      } else if (action < 0.75 || states.size === 0) {
        const id = `c-${step}`;
        await storeCheckpoint(vault, id, await scan(vault));
        await remember(id);
      } else {
        // To any state of before, the safety ones included: an undo is nothing else.
        const id = random.pick([...states.keys()]);
        const target = await readCheckpoint(vault, id);
        if (target === null) throw new Error(`checkpoint ${id} is gone`);
        const safety = `s-${step}`;
        await remember(safety);
        await move(vault, safety, await scan(vault), target);
        expect(await picture(at.root)).toEqual(states.get(id) ?? {});
        restores += 1;
      }
    }
    expect(await picture(join(at.root, ".git"), [])).toEqual(repository);
    expect(restores).toBeGreaterThan(steps / 10);
    console.log(`vault: ${steps} steps, ${restores} restores, ${states.size} states, 0 differences`);
  },
  TIMEOUT_MS,
);
