import { expect, test } from "bun:test";
import { readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { rawPath, shownPath } from "../../src/workspace/git/raw-path.ts";
import { readCheckpoint, storeCheckpoint } from "../../src/workspace/vault/checkpoint.ts";
import { move } from "../../src/workspace/vault/move.ts";
import { previewRestore, type RestoredFile, restoredState } from "../../src/workspace/vault/restore.ts";
import { SCAN_LIMITS, scan } from "../../src/workspace/vault/scan.ts";
import { gitScene, picture, write } from "./git-scene.ts";

const listed = (files: readonly RestoredFile[]) =>
  files.map(({ path, effect }) => `${shownPath(path)} ${effect}`).sort();

test("WS-12 a restore takes only files that this session's turns changed last; the rest is listed", async () => {
  await using at = await gitScene({ "a.txt": "1\n", "b.txt": "1\n", "c.txt": "1\n", "d.txt": "1\n" });
  const vault = await at.openVault();
  const target = await scan(vault);
  await write(at.root, { "a.txt": "agent\n", "b.txt": "agent\n", "new.txt": "agent\n" });
  await rm(join(at.root, "c.txt"));
  const after = await scan(vault);
  // Between two turns the user goes on with one of the files, and with one of their own.
  await write(at.root, { "b.txt": "agent, then user\n", "d.txt": "user\n", "notes.txt": "user\n" });
  const current = await scan(vault);
  const preview = await previewRestore(vault, { current, target, turns: [{ before: target, after }] });
  expect(listed(preview.own)).toEqual(["a.txt changed", "c.txt created", "new.txt deleted"]);
  expect(listed(preview.changedByOthers)).toEqual(["b.txt changed", "d.txt changed", "notes.txt deleted"]);
  expect(preview.impossible).toEqual([]);
  const seen = await picture(at.root);
  await move(
    vault,
    "r1",
    current,
    await restoredState(
      vault,
      { current, target },
      preview.own.map(({ path }) => path),
    ),
  );
  const text = (name: string) => Bun.file(join(at.root, name)).text();
  expect([await text("a.txt"), await text("b.txt"), await text("c.txt"), await text("d.txt")]).toEqual([
    "1\n",
    "agent, then user\n",
    "1\n",
    "user\n",
  ]);
  expect(Object.keys(await picture(at.root))).toContain("notes.txt");
  expect(Object.keys(await picture(at.root))).not.toContain("new.txt");
  const safety = await readCheckpoint(vault, "r1");
  if (safety === null) throw new Error("kept");
  await move(vault, "u1", await scan(vault), safety);
  expect(await picture(at.root)).toEqual(seen);
});

test("WS-5 what a checkpoint does not hold is listed as impossible, and a restore leaves it alone", async () => {
  await using at = await gitScene();
  const vault = await at.openVault();
  const limits = { ...SCAN_LIMITS, newFileBytesMax: 10 };
  const target = await scan(vault, limits);
  await write(at.root, { "a.txt": "agent\n", "large.bin": "more than ten bytes" });
  const after = await scan(vault, limits);
  await storeCheckpoint(vault, "after", after);
  expect((await readCheckpoint(vault, "after"))?.leftOut).toEqual([
    { path: rawPath("large.bin"), reason: "too large" },
  ]);
  const preview = await previewRestore(vault, { current: after, target, turns: [{ before: target, after }] });
  expect(listed(preview.own)).toEqual(["a.txt changed"]);
  await move(
    vault,
    "r1",
    after,
    await restoredState(
      vault,
      { current: after, target },
      preview.own.map(({ path }) => path),
    ),
  );
  expect(await Bun.file(join(at.root, "large.bin")).text()).toBe("more than ten bytes");
});

test("WS-7 a directory that became a link to elsewhere is restored, and what the link leads to stays as it is", async () => {
  await using at = await gitScene({ "b/x.txt": "one\n", "c/x.txt": "other\n" });
  const vault = await at.openVault();
  const target = await scan(vault);
  await rm(join(at.root, "b"), { recursive: true });
  await symlink("c", join(at.root, "b"));
  const seen = await scan(vault);
  const before = await picture(at.root);
  await move(vault, "safety-1", seen, target);
  expect(await readFile(join(at.root, "b/x.txt"), "utf8")).toBe("one\n");
  expect(await readFile(join(at.root, "c/x.txt"), "utf8")).toBe("other\n");
  await move(vault, "safety-2", await scan(vault), seen);
  expect(await picture(at.root)).toEqual(before);
});
