import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readCheckpoint, storeCheckpoint } from "../../src/workspace/vault/checkpoint.ts";
import { cutOffMove, move, settleMove } from "../../src/workspace/vault/move.ts";
import { scan } from "../../src/workspace/vault/scan.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { gitScene, picture, write } from "./git-scene.ts";

const KILLS_FULL = 100;
const FILES = 400;
const PROGRAM = join(import.meta.dirname, "programs/move-forever.ts");
/** Writing so many files takes about this long. */
const MOVE_MS = 40;

const filled = (text: string) =>
  Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [`d${index % 20}/f${index}.txt`, `${text} ${index}\n`]),
  );

test("WS-16 kill -9 in the middle of a move loses nothing, and the next start can finish it or put it back", async () => {
  const random = seededRandom("kill -9 in a move");
  await using at = await gitScene(filled("a"));
  const vaults = at.dir.join("vaults");
  const first = await at.openVault();
  await storeCheckpoint(first, "a", await scan(first));
  const states = { a: await picture(at.root), b: {} };
  await write(at.root, { ...filled("b"), "only/in/b.txt": "b\n" });
  await storeCheckpoint(first, "b", await scan(first));
  states.b = await picture(at.root);
  const counts = { kills: 0, inMove: 0, halfDone: 0, finished: 0, putBack: 0 };
  for (let kill = 0; kill < roundsOf(KILLS_FULL); kill++) {
    const child = Bun.spawn([process.execPath, PROGRAM, vaults, at.root, `k${kill}`], {
      stdout: "pipe",
      stderr: "inherit",
      detached: true,
    });
    let moves = random.between(1, 2);
    for await (const chunk of child.stdout) {
      moves -= Buffer.from(chunk).toString().split("moving").length - 1;
      if (moves <= 0) break;
    }
    // The intent is written just before the first file is touched.
    while (!existsSync(join(first.path, "intent.json"))) await Bun.sleep(1);
    await Bun.sleep(random.between(0, MOVE_MS));
    // With its Git, as a machine that goes down; or alone, as the kernel does when memory is short.
    process.kill(random.fraction() < 0.5 ? -child.pid : child.pid, "SIGKILL");
    await child.exited;
    counts.kills += 1;
    if (existsSync(join(first.path, "intent.json"))) counts.inMove += 1;
    const vault = await at.openVault();
    const left = await cutOffMove(vault);
    if (left !== null) {
      counts.halfDone += 1;
      const way = random.fraction() < 0.5 ? "finish" : "put back";
      await settleMove(vault, `settle-${kill}`, left, way);
      counts[way === "finish" ? "finished" : "putBack"] += 1;
      expect(await cutOffMove(vault)).toBeNull();
    }
    const now = await picture(at.root);
    expect([states.a, states.b]).toContainEqual(now);
    const back = await readCheckpoint(vault, "a");
    if (back === null) throw new Error("it was stored");
    await move(vault, `back-${kill}`, await scan(vault), back);
    expect(await picture(at.root)).toEqual(states.a);
  }
  console.log(`kill -9 in a move: ${JSON.stringify(counts)}, 0 lost`);
});
