import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { IndexReader } from "../../src/workspace/vault/index-file.ts";
import { scan } from "../../src/workspace/vault/scan.ts";
import { Vault } from "../../src/workspace/vault/vault.ts";
import { tempDir } from "../support/temp-dir.ts";
import { git, gitScene, write } from "./git-scene.ts";

const FILES = {
  "a.txt": "one\n",
  "src/b.txt": "two\n",
  "src/deep/deeper/c.txt": "three\n",
  "src/.gitattributes": "*.txt text\n",
  "x.gitattributes": "no such file\n",
  "zeile\nzwei ü": "odd\n",
  [`long/${"n".repeat(200)}/${"m".repeat(250)}/${"o".repeat(250)}`]: "long\n",
};

/** One line for each entry: what Git itself says of an index. */
function asGitSays(root: string): string[] {
  const listing = git(root, "ls-files", "-z", "-v", "--stage", "--debug");
  const pattern = /(\S) (\d+) ([0-9a-f]+) (\d)\t([^\0]+)\0(?: {2}[^\n]*\n){4} {2}size: (\d+)\tflags: ([0-9a-f]+)\n/g;
  return [...listing.matchAll(pattern)].map(([, tag, mode, id, stage, path, size, flags]) => {
    const isIntent = (Number.parseInt(flags ?? "", 16) & 0x2000_0000) !== 0;
    return `${mode} ${id} ${size} ${/[HM]/.test(tag ?? "")} ${stage === "0"} ${isIntent} ${path}`;
  });
}

function asWeRead(bytes: Buffer, format: "sha1" | "sha256" = "sha1"): string[] {
  const lines: string[] = [];
  const entry = new IndexReader(bytes, format);
  while (entry.next()) {
    const path = Buffer.from(entry.path, "latin1").toString();
    const written = Buffer.alloc(64);
    expect(written.toString("latin1", 0, entry.writeId(written, 0))).toBe(entry.id);
    expect(entry.isAttributesFile).toBe(/(^|\/)\.gitattributes$/.test(path));
    lines.push(
      `${entry.mode.toString(8)} ${entry.id} ${entry.size} ${entry.isPlain} ${entry.isMerged} ${entry.isIntentToAdd} ${path}`,
    );
  }
  return lines;
}

describe("the user's index is read as Git reads it", () => {
  test.each(["2", "4"])("version %s, with files of every kind", async (version) => {
    await using scene = await gitScene(FILES);
    const { root } = scene;
    git(root, "update-index", "--index-version", version);
    expect(asWeRead(await readFile(join(root, ".git/index")))).toEqual(asGitSays(root));
    await write(root, { "planned.txt": "planned\n", "bin/run": "#!/bin/sh\n" });
    git(root, "add", "-N", "planned.txt");
    git(root, "add", "--chmod=+x", "bin/run");
    git(root, "update-index", "--assume-unchanged", "a.txt");
    git(root, "update-index", "--skip-worktree", "src/b.txt");
    git(root, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},module`);
    const lines = asWeRead(await readFile(join(root, ".git/index")));
    expect(lines).toEqual(asGitSays(root));
    expect(lines).toHaveLength(Object.keys(FILES).length + 3);
  });

  test("with a merge that has conflicts", async () => {
    await using scene = await gitScene();
    const { root } = scene;
    git(root, "switch", "-qc", "other");
    await write(root, { "a.txt": "theirs\n" });
    git(root, "commit", "-qam", "theirs");
    git(root, "switch", "-q", "main");
    await write(root, { "a.txt": "ours\n" });
    git(root, "commit", "-qam", "ours");
    expect(() => git(root, "merge", "other")).toThrow();
    const lines = asWeRead(await readFile(join(root, ".git/index")));
    expect(lines.filter((line) => line.endsWith("a.txt"))).toHaveLength(3);
    expect(lines).toEqual(asGitSays(root));
  });

  test("with SHA-256 objects", async () => {
    await using dir = await tempDir();
    git(dir.path, "init", "-q", "--object-format=sha256");
    await write(dir.path, FILES);
    git(dir.path, "add", "-A");
    expect(asWeRead(await readFile(dir.join(".git/index")), "sha256")).toEqual(asGitSays(dir.path));
  });

  test("one that was cut off anywhere is refused, never taken for a shorter one", async () => {
    await using scene = await gitScene();
    for (const version of ["2", "4"]) {
      git(scene.root, "update-index", "--index-version", version);
      const bytes = await readFile(join(scene.root, ".git/index"));
      for (let length = 0; length < bytes.length; length++)
        expect(() => asWeRead(Buffer.from(bytes.subarray(0, length)))).toThrow();
    }
  });
});

/** Without a seed every file is read: the trees must be the same. */
test("WS-6 the first checkpoint is the same with an index of the user's and without", async () => {
  for (const words of [["--split-index"], ["--index-version", "4"], ["--index-version", "2"]]) {
    await using scene = await gitScene(FILES);
    await using other = await tempDir();
    const { root, dir } = scene;
    git(root, "update-index", ...words);
    await write(root, { "a.txt": "uno\n", "src/b.txt": "changed\r\n", "new.txt": "new\n" });
    git(root, "add", "new.txt");
    const seeded = await scan(await scene.openVault());
    Bun.spawnSync(["cp", "-a", `${root}/.`, other.join("copy")]);
    await Bun.write(other.join("copy/.git/index"), "not an index");
    const cold = await scan(await Vault.open(dir.join("cold"), other.join("copy")));
    expect(seeded.parts).toEqual(cold.parts);
  }
});
