import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdir, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TaskQueue } from "../../src/lib/task-queue.ts";
import type { World } from "../../src/ports/world.ts";
import { type CheckpointInfo, CheckpointInfo as Info } from "../../src/protocol/changes.ts";
import { SessionId, TurnId } from "../../src/protocol/ids.ts";
import { Housekeeping, measureVaults, nextToDrop, tidyVault } from "../../src/workspace/housekeeping.ts";
import { Review } from "../../src/workspace/review.ts";
import { compareScans } from "../../src/workspace/vault/compare.ts";
import { move } from "../../src/workspace/vault/move.ts";
import type { Vault } from "../../src/workspace/vault/vault.ts";
import { Workdir } from "../../src/workspace/workdir.ts";
import { git, gitScene, picture, write } from "./git-scene.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const SESSION = SessionId.parse("builtin:one");
const world: World = { now: Date.now, newId: () => crypto.randomUUID() };

async function openWorkdir(vault: Vault): Promise<Workdir> {
  return Workdir.load(vault, world, new TaskQueue());
}

async function checkpoint(workdir: Workdir, sessionId = SESSION): Promise<CheckpointInfo> {
  const turnId = TurnId.parse(crypto.randomUUID());
  return workdir.store(await workdir.scan(), { sessionId, turnId, phase: "after" }, false);
}

const has = async (vault: Vault, object: string) => (await vault.tryGit(["cat-file", "-e", object])).exitCode === 0;
const blobOf = (root: string, text: string) =>
  Bun.spawnSync(["git", "-C", root, "hash-object", "--stdin"], { stdin: Buffer.from(text) })
    .stdout.toString()
    .trim();

/** As if every loose object had been written two days ago. */
async function age(vault: Vault): Promise<void> {
  const past = new Date(Date.now() - 2 * DAY_MS);
  for (const name of await readdir(join(vault.path, "objects"), { recursive: true }))
    await utimes(join(vault.path, "objects", name), past, past);
}

test("[WS-2] [WS-3] after housekeeping a checkpoint comes back byte-exact, the next scan works, and the user's repository is untouched", async () => {
  await using at = await gitScene();
  git(at.root, "gc", "-q");
  const vault = await at.openVault();
  const workdir = await openWorkdir(vault);
  await write(at.root, { "a.txt": "kept\r\n", "new/c.bin": randomBytes(5_000), "a:b\n.txt": "odd name\n" });
  const kept = await checkpoint(workdir);
  const files = await picture(at.root);
  await write(at.root, { "a.txt": "dropped\n" });
  const dropped = await checkpoint(workdir);
  await write(at.root, { "a.txt": "now\n", "untracked.txt": "only in the index\n" });
  await workdir.scan();
  await writeFile(join(vault.path, "objects/pack/tmp_pack_killed"), "half");
  await age(vault);
  const users = await picture(at.root, []);
  const [gone, inIndex] = [blobOf(at.root, "dropped\n"), blobOf(at.root, "only in the index\n")];

  await workdir.drop(dropped.checkpointId);
  await tidyVault(workdir, { isThorough: false, expire: "1.day.ago", nowMs: Date.now() });
  expect([await has(vault, gone), await has(vault, inIndex)]).toEqual([false, true]);
  expect(await readdir(join(vault.path, "objects/pack"))).not.toContain("tmp_pack_killed");
  expect((await vault.git(["count-objects"])).toString()).toStartWith("0 objects");
  expect(await picture(at.root, [])).toEqual(users);

  const now = await workdir.scan();
  await write(at.root, { "untracked.txt": "changed\n" });
  const changes = await compareScans(vault, now, await workdir.scan());
  expect(changes.map(({ path }) => String(path))).toEqual(["untracked.txt"]);
  const target = await workdir.read(kept.checkpointId);
  if (target === null) throw new Error("the checkpoint is gone");
  await move(vault, "back", await workdir.scan(), target);
  expect(await picture(at.root)).toEqual(files);
});

test("[WS-3] what a dropped checkpoint alone had in a pack goes, and the packs of the user's history stay as they are", async () => {
  await using at = await gitScene();
  git(at.root, "gc", "-q");
  const vault = await at.openVault();
  const workdir = await openWorkdir(vault);
  await write(at.root, { "a.txt": "packed, then dropped\n" });
  const dropped = await checkpoint(workdir);
  await write(at.root, { "a.txt": "packed, and kept\n" });
  const kept = await checkpoint(workdir);
  await tidyVault(workdir, { isThorough: false, expire: "1.day.ago", nowMs: Date.now() });
  const [gone, stays] = [blobOf(at.root, "packed, then dropped\n"), blobOf(at.root, "packed, and kept\n")];
  expect(await has(vault, gone)).toBe(true);

  await workdir.drop(dropped.checkpointId);
  await tidyVault(workdir, { isThorough: true, expire: "1.day.ago", nowMs: Date.now() });
  expect([await has(vault, gone), await has(vault, stays)]).toEqual([false, true]);
  expect(await workdir.read(kept.checkpointId)).not.toBeNull();
  const packs = async (folder: string) =>
    Promise.all(
      (await readdir(folder))
        .filter((name) => name.endsWith(".pack"))
        .map(async (name) => (await stat(join(folder, name))).ino),
    );
  const [theirs] = await packs(join(at.root, ".git/objects/pack"));
  expect(await packs(join(vault.path, "objects/pack"))).toContain(theirs ?? 0);

  // Their own garbage collection leaves us with the only link: then only what checkpoints need is kept of it.
  git(at.root, "commit", "-qam", "second");
  git(at.root, "gc", "-q", "--prune=now");
  await tidyVault(workdir, { isThorough: true, expire: "1.day.ago", nowMs: Date.now() });
  expect(await workdir.scan()).toEqual((await workdir.read(kept.checkpointId)) ?? (await workdir.scan()));
});

test("[WS-5] over the limit of all vaults the oldest checkpoints go, and the newest of each session stays", async () => {
  await using at = await gitScene();
  const root = at.dir.join("vaults");
  const vault = await at.openVault();
  const workdir = await openWorkdir(vault);
  const other = SessionId.parse("builtin:other");
  await write(at.root, { "big.bin": randomBytes(300_000) });
  const ofOther = await checkpoint(workdir, other);
  const taken: CheckpointInfo[] = [];
  for (let index = 0; index < 6; index += 1) {
    await write(at.root, { "big.bin": randomBytes(300_000) });
    taken.push(await checkpoint(workdir));
  }
  const errors: unknown[] = [];
  const housekeeping = new Housekeeping({
    world,
    root,
    bytesMax: 1_300_000,
    isIdle: () => true,
    isOpen: () => true,
    withWorkdir: (_path, task) => workdir.queue.run(() => task(workdir)),
    onError: (error) => errors.push(error),
  });
  expect((await measureVaults(root)).bytes).toBeGreaterThan(2_000_000);
  await housekeeping.run();
  expect(errors).toEqual([]);
  expect((await measureVaults(root)).bytes).toBeLessThan(1_300_000);
  const left = workdir.checkpoints.map(({ checkpointId }) => checkpointId);
  expect(left).toContain(ofOther.checkpointId);
  expect(left.at(-1)).toBe(taken.at(-1)?.checkpointId as never);
  expect(left).not.toContain(taken[0]?.checkpointId as never);
  expect(await workdir.read(ofOther.checkpointId)).not.toBeNull();
});

test("some time after a turn vaults are tidied by themselves: not while another turn runs, and not after the stop", async () => {
  await using at = await gitScene();
  const vault = await at.openVault();
  const workdir = await openWorkdir(vault);
  const errors: unknown[] = [];
  const start = (isIdle: boolean) => {
    const [asked, tidied] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isAsked = false;
    const housekeeping = new Housekeeping({
      world,
      root: dirname(vault.path),
      bytesMax: Number.MAX_SAFE_INTEGER,
      isIdle: () => {
        isAsked = true;
        asked.resolve();
        return isIdle;
      },
      isOpen: () => true,
      withWorkdir: (_path, task) => workdir.queue.run(() => task(workdir)).finally(() => tidied.resolve()),
      onError: (error) => errors.push(error),
      idleMs: 1,
    });
    housekeeping.later();
    return { housekeeping, asked: asked.promise, tidied: tidied.promise, wasAsked: () => isAsked };
  };
  const isTidied = () => Bun.file(join(vault.path, "tidied")).exists();
  const stopped = start(true);
  await stopped.housekeeping.stop();
  await start(false).asked;
  expect(stopped.wasAsked()).toBe(false);
  expect(await isTidied()).toBe(false);
  const running = start(true);
  await running.tidied;
  expect(await isTidied()).toBe(true);
  await running.housekeeping.stop();
  expect(errors).toEqual([]);
});

test("[WS-19] what was decided before housekeeping can be undone after it", async () => {
  await using at = await gitScene();
  const vault = await at.openVault();
  const workdir = await openWorkdir(vault);
  const before = new Review(workdir);
  await before.turnStarts(await workdir.scan(), false);
  await write(at.root, { "a.txt": "kept by the user\n", "src/b.txt": "discarded by the user\n" });
  await checkpoint(workdir);
  const scope = { kind: "unreviewed" } as const;
  const decide = async (kind: "keep" | "discard", path: string) => {
    const { version } = await before.state(SESSION, scope);
    await before.decide(SESSION, { kind, scope, items: [{ path }], expect: version });
  };
  await decide("keep", "a.txt");
  await decide("discard", "src/b.txt");
  await age(vault);
  await tidyVault(workdir, { isThorough: true, expire: "now", nowMs: Date.now() });

  const after = new Review(workdir);
  const { files, decisions } = await after.state(SESSION, scope);
  expect({ files, kinds: decisions.map(({ kind }) => kind) }).toEqual({ files: [], kinds: ["discard", "keep"] });
  for (const { undoId } of decisions) await after.undo(SESSION, undoId);
  expect((await after.state(SESSION, scope)).files.map(({ path }) => path)).toEqual(["a.txt", "src/b.txt"]);
  expect(await Bun.file(join(at.root, "src/b.txt")).text()).toBe("discarded by the user\n");
});

test("[WS-16] a vault with a move that was cut off is left alone", async () => {
  await using at = await gitScene();
  const vault = await at.openVault();
  const workdir = await openWorkdir(vault);
  await write(at.root, { "a.txt": "the state it was to reach\n" });
  await workdir.scan();
  await write(at.root, { "a.txt": "something else\n" });
  await workdir.scan();
  await writeFile(join(vault.path, "intent.json"), "{}");
  await age(vault);
  await tidyVault(workdir, { isThorough: true, expire: "now", nowMs: Date.now() });
  expect(await has(vault, blobOf(at.root, "the state it was to reach\n"))).toBe(true);
});

test("what goes first: the older half over all vaults, without the newest of each session", () => {
  const info = (id: string, minute: number, sessionId: string) =>
    Info.parse({ checkpointId: id, at: new Date(minute * 60_000).toISOString(), phase: "after", sessionId });
  const one = { path: "one", checkpoints: [info("a", 1, "x:1"), info("b", 4, "x:1"), info("c", 9, "x:1")] };
  const two = { path: "two", checkpoints: [info("d", 2, "x:2"), info("e", 3, "x:3"), info("f", 5, "x:2")] };
  const names = (vaults: Parameters<typeof nextToDrop>[0]) =>
    nextToDrop(vaults).map(({ path, checkpoint: { checkpointId } }) => `${path} ${checkpointId}`);
  expect(names([one, two])).toEqual(["one a", "two d"]);
  expect(names([{ path: "one", checkpoints: [info("c", 9, "x:1")] }])).toEqual([]);
});
