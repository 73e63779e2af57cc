import { expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RawPath } from "../../src/workspace/git/raw-path.ts";
import { readBase } from "../../src/workspace/vault/base.ts";
import { compareScans } from "../../src/workspace/vault/compare.ts";
import { move } from "../../src/workspace/vault/move.ts";
import { type Scan, scan } from "../../src/workspace/vault/scan.ts";
import { Vault } from "../../src/workspace/vault/vault.ts";
import { roundsOf, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { tempDir } from "../support/temp-dir.ts";
import { git, gitScene, picture, write } from "./git-scene.ts";

/** `+added -removed path` of every file, as our comparison with the last commit gives it. */
async function ours(vault: Vault, first: Scan | null = null): Promise<string[]> {
  const current = await scan(vault);
  const base = await readBase(vault, current, first);
  const changes = await compareScans(vault, base.scan, current);
  return changes.map(({ path, addedLines, removedLines }) => `+${addedLines} -${removedLines} ${path}`).sort();
}

/** The same from Git itself, of a repository and of those inside it. */
function theirs(root: string, inside: readonly string[] = []): string[] {
  const text = (...words: string[]) => Buffer.from(git(root, ...words), "utf8").toString("latin1");
  const hasCommit = Bun.spawnSync(["git", "-C", root, "rev-parse", "-q", "--verify", "HEAD"]).exitCode === 0;
  const diff = ["diff", "--numstat", "--no-renames", "--ignore-submodules=all", "-z"];
  const changed = text(...diff, ...(hasCommit ? ["HEAD"] : ["--cached", git(root, "mktree").trim()]));
  const own = [...changed.matchAll(/(\d+|-)\t(\d+|-)\t([^\0]+)\0/g)].map(([, added, removed, path]) =>
    `+${added} -${removed} ${path}`.replaceAll("+- -- ", "+null -null "),
  );
  const untracked = text("ls-files", "-o", "--exclude-standard", "-z")
    .split("\0")
    .filter((path) => path !== "" && !path.endsWith("/"))
    .map((path) => {
      const counted = Bun.spawnSync(
        [
          "git",
          "-C",
          root,
          "diff",
          "--no-index",
          "--numstat",
          "--",
          "/dev/null",
          Buffer.from(path, "latin1").toString(),
        ],
        { stdout: "pipe" },
      );
      const [added = "", removed = ""] = counted.stdout.toString().split("\t");
      return `+${added === "-" ? null : Number(added)} -${removed === "-" ? null : Number(removed)} ${path}`;
    });
  const below = inside.flatMap((path) =>
    theirs(join(root, path)).map((line) => line.replace(/^(\S+ \S+) /, `$1 ${path}/`)),
  );
  return [...own, ...untracked, ...below].sort();
}

test("[WS-17] Changes equals `git diff HEAD` and the untracked files, with line endings, modes, links and odd names", async () => {
  const lines = (end: string, change = "") =>
    Array.from({ length: 12 }, (_, at) => `${at}${at === 6 ? change : ""}${end}`).join("");
  await using at = await gitScene({
    ".gitattributes": "*.crlf text eol=crlf\n*.auto text=auto\n*.key ident\n*.raw -text\n",
    ".gitignore": "*.log\n",
    "a.txt": lines("\n"),
    "gone.txt": "1\n2\n",
    "run.sh": "x\n",
    "turned.sh": "x\n",
    "win.crlf": lines("\n"),
    "same.crlf": lines("\n"),
    "mixed.auto": lines("\n"),
    "stored.txt": lines("\r\n"),
    "raw.raw": lines("\n"),
    "id.key": "$Id$\nx\n",
    "b.bin": "a\0b",
    "to-link": "file\n",
    "new\nline": "1\n",
    'quote"tab\t': "1\n",
    ünïcode: "1\n",
    ":(top)magic": "1\n",
  });
  await chmod(join(at.root, "run.sh"), 0o755);
  await write(at.root, {
    "a.txt": lines("\n", "changed"),
    "win.crlf": lines("\r\n", "changed"),
    "same.crlf": lines("\r\n"),
    "mixed.auto": lines("\r\n", "changed"),
    "stored.txt": lines("\r\n", "changed"),
    "raw.raw": lines("\r\n"),
    "id.key": "$Id: 0123456789 $\nchanged\n",
    "b.bin": "a\0c",
    "turned.sh": "x\ny",
    "new\nline": "2\n",
    'quote"tab\t': "2\n",
    ünïcode: "2\n",
    ":(top)magic": "2\n",
    "x.log": "ignored\n",
    "new/file.txt": "1\n2\n3\n",
    "new/bin": "\0",
    "new/empty": "",
  });
  await rm(join(at.root, "gone.txt"));
  await rm(join(at.root, "to-link"));
  await symlink("a.txt", join(at.root, "to-link"));
  await symlink("nowhere", join(at.root, "new/link"));
  const vault = await at.openVault();
  expect(await ours(vault)).toEqual(theirs(at.root));
  // Staging changes nothing; a commit does.
  git(at.root, "add", "a.txt", "new/file.txt");
  expect(await ours(vault)).toEqual(theirs(at.root));
  git(at.root, "commit", "-qm", "second");
  const left = theirs(at.root);
  expect(await ours(vault)).toEqual(left);
  expect(left.join("\n")).not.toContain("a.txt");
});

test("[WS-17] the same in a repository without commits, with submodules and repositories inside, and in a sparse one", async () => {
  await using at = await gitScene();
  await using other = await gitScene({ "lib.txt": "lib\n", "more.txt": "1\n" });
  git(at.root, "submodule", "add", "-q", other.root, "vendor/lib");
  git(at.root, "commit", "-qm", "submodule");
  for (const name of ["nested", "empty"]) {
    await mkdir(join(at.root, name));
    git(join(at.root, name), "init", "-q");
    await write(join(at.root, name), { "file.txt": `${name}\n` });
  }
  git(join(at.root, "nested"), "add", "-A");
  git(join(at.root, "nested"), "commit", "-qm", "nested");
  await write(at.root, {
    "nested/file.txt": "2\n",
    "vendor/lib/lib.txt": "2\n",
    "vendor/lib/new.txt": "n\n",
    "a.txt": "2\n",
  });
  const vault = await at.openVault();
  const inside = ["vendor/lib", "nested"];
  const all = [...theirs(at.root, inside), "+1 -0 empty/file.txt"].sort();
  expect(await ours(vault)).toEqual(all);
  git(join(at.root, "nested"), "commit", "-qam", "second");
  expect(await ours(vault)).toEqual(all.filter((line) => !line.endsWith("nested/file.txt")));

  await using sparse = await gitScene({ "in/a.txt": "1\n", "out/b.txt": "1\n", "top.txt": "1\n" });
  git(sparse.root, "sparse-checkout", "set", "in");
  await write(sparse.root, { "in/a.txt": "2\n" });
  expect(await ours(await sparse.openVault())).toEqual(["+1 -1 in/a.txt"]);
  expect(theirs(sparse.root)).toEqual(["+1 -1 in/a.txt"]);
});

test("[WS-17] no filter runs: a filtered file is compared with the first state, and one that was not written is unchanged", async () => {
  await using at = await gitScene({ ".gitattributes": "*.up filter=up\n", "a.txt": "1\n" });
  const mark = at.dir.join("ran");
  git(at.root, "config", "filter.up.clean", `tr a-z A-Z; touch '${mark}'`);
  git(at.root, "config", "filter.up.smudge", "tr A-Z a-z");
  await write(at.root, { "b.up": "lower\n", "c.up": "lower\n" });
  git(at.root, "add", "-A");
  git(at.root, "commit", "-qm", "filtered");
  await rm(mark, { force: true });
  const vault = await at.openVault();
  const first = await scan(vault);
  expect(await ours(vault, first)).toEqual([]);
  await write(at.root, { "c.up": "lower\nmore\n" });
  expect(await ours(vault, first)).toEqual(["+1 -0 c.up"]);
  expect(await Bun.file(mark).exists()).toBe(false);
});

/** What Git itself shows of submodules: `path from to`. */
function gitlinks(root: string): string[] {
  const diff = git(root, "diff", "HEAD", "--submodule=short", "--ignore-submodules=dirty", "--no-renames");
  return diff
    .split(/^diff --git /m)
    .filter((part) => part.includes("Subproject commit"))
    .map((part) => {
      const path = /^a\/(.+) b\//.exec(part)?.[1];
      const side = (sign: string) => new RegExp(`^\\${sign}Subproject commit ([0-9a-f]+)`, "m").exec(part)?.[1] ?? null;
      return `${path} ${side("-")} ${side("+")}`;
    })
    .sort();
}

test("[WS-6] [WS-17] submodules that point to another commit are named as `git diff HEAD` does", async () => {
  await using at = await gitScene();
  await using other = await gitScene({ "lib.txt": "lib\n" });
  for (const name of ["vendor/lib", "gone", "unlisted", "still"])
    git(at.root, "submodule", "add", "-q", other.root, name);
  git(at.root, "commit", "-qm", "submodules");
  // A repository inside that is no submodule.
  await mkdir(join(at.root, "nested"));
  git(join(at.root, "nested"), "init", "-q");
  git(join(at.root, "nested"), "commit", "-q", "--allow-empty", "-m", "x");
  const vault = await at.openVault();
  const named = async () => {
    const { submodules } = await readBase(vault, await scan(vault), null);
    return submodules.map(({ path, from, to }) => `${path} ${from} ${to}`).sort();
  };
  expect(await named()).toEqual([]);
  const inside = join(at.root, "vendor/lib");
  await write(inside, { "lib.txt": "2\n" });
  // Files that changed in it are shown as files.
  expect(await named()).toEqual([]);
  git(inside, "commit", "-qam", "second");
  await rm(join(at.root, "gone"), { recursive: true });
  git(at.root, "rm", "-q", "--cached", "unlisted");
  git(at.root, "submodule", "add", "-q", other.root, "fresh");
  const shown = gitlinks(at.root);
  expect(shown).toHaveLength(4);
  expect(await named()).toEqual(shown);
  git(at.root, "commit", "-qm", "all", "--only", "vendor/lib");
  expect(await named()).toEqual(shown.filter((line) => !line.startsWith("vendor/lib")));
  git(at.root, "submodule", "deinit", "-q", "-f", "still");
  expect(await named()).toEqual(gitlinks(at.root));
});

test("[WS-6] [WS-17] a file that is ignored and was added by force is held and shown, and no longer when it is taken out", async () => {
  await using at = await gitScene({ ".gitignore": "*.log\nout/\n", "a.txt": "1\n" });
  const vault = await at.openVault();
  await write(at.root, { "forced.log": "1\n", "ignored.log": "1\n", "out/forced.txt": "1\n" });
  expect(await ours(vault)).toEqual([]);
  git(at.root, "add", "-f", "forced.log", "out/forced.txt");
  const added = ["+1 -0 forced.log", "+1 -0 out/forced.txt"];
  expect(await ours(vault)).toEqual(added);
  expect(theirs(at.root)).toEqual(added);
  const seen = await scan(vault);
  await write(at.root, { "forced.log": "2\n" });
  await move(vault, "back", await scan(vault), seen);
  expect(await Bun.file(join(at.root, "forced.log")).text()).toBe("1\n");
  git(at.root, "commit", "-qm", "forced");
  await write(at.root, { "forced.log": "1\n2\n" });
  expect(await ours(vault)).toEqual(["+1 -0 forced.log"]);
  expect(theirs(at.root)).toEqual(["+1 -0 forced.log"]);
  git(at.root, "rm", "-q", "--cached", "forced.log");
  expect(await ours(vault)).toEqual(theirs(at.root));
  // Another server finds the same.
  expect(await ours(await at.openVault())).toEqual(theirs(at.root));
  expect(await Bun.file(join(at.root, "ignored.log")).text()).toBe("1\n");
});

/** As Git LFS does it: the pointer is in Git, the content beside it. */
const LFS = `#!/bin/sh
set -e
store() { echo "$(git rev-parse --git-common-dir)/lfs/objects/$(echo "$1" | cut -c1-2)/$(echo "$1" | cut -c3-4)"; }
case "$1" in
clean)
  tmp=$(mktemp); cat > "$tmp"; sum=$(sha256sum "$tmp" | cut -d' ' -f1)
  mkdir -p "$(store "$sum")"; cp "$tmp" "$(store "$sum")/$sum"
  printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %s\n' "$sum" "$(stat -c %s "$tmp")"; rm "$tmp" ;;
smudge)
  sum=$(sed -n 's/^oid sha256://p'); cat "$(store "$sum")/$sum" ;;
esac
echo ran >> "$LFS_RAN"
`;

test("[WS-6] [WS-17] large files that Git has pointers of are compared by content, and no filter runs", async () => {
  await using at = await gitScene({ ".gitattributes": "*.big filter=lfs\n", "a.txt": "1\n" });
  const [program, ran] = [at.dir.join("lfs"), at.dir.join("ran")];
  await writeFile(program, LFS.replace("$LFS_RAN", ran), { mode: 0o755 });
  for (const side of ["clean", "smudge"]) git(at.root, "config", `filter.lfs.${side}`, `'${program}' ${side}`);
  await write(at.root, {
    "same.big": "same\n",
    "before.big": "one\ntwo\n",
    "gone.big": "gone\n",
    "lost.big": "lost\n",
  });
  git(at.root, "add", "-A");
  git(at.root, "commit", "-qm", "large");
  expect(git(at.root, "show", "HEAD:same.big")).toContain("oid sha256:");
  // Written before the first turn, and one of them whose committed content is nowhere here.
  await write(at.root, { "same.big": "same\n", "before.big": "one\ntwo\nthree\n", "lost.big": "other\n" });
  const sum = /sha256:(\w{2})(\w{2})(\w+)/.exec(git(at.root, "show", "HEAD:lost.big"));
  await rm(join(at.root, ".git/lfs/objects", sum?.[1] ?? "", sum?.[2] ?? ""), { recursive: true });
  await rm(ran, { force: true });
  const vault = await at.openVault();
  const first = await scan(vault);
  expect(await ours(vault, first)).toEqual(["+1 -0 before.big"]);
  expect((await readBase(vault, first, first)).unclear).toEqual(["lost.big" as RawPath]);
  await rm(join(at.root, "gone.big"));
  await write(at.root, { "new.big": "new\n", "lost.big": "again\n" });
  const current = await scan(vault);
  expect(await ours(vault, first)).toEqual(["+0 -1 gone.big", "+1 -0 before.big", "+1 -0 new.big", "+1 -1 lost.big"]);
  // What comes back is the content, not the pointer.
  await move(vault, "all", current, (await readBase(vault, current, first)).scan);
  expect(await Bun.file(join(at.root, "gone.big")).text()).toBe("gone\n");
  expect(await Bun.file(join(at.root, "before.big")).text()).toBe("one\ntwo\n");
  expect(await Bun.file(ran).exists()).toBe(false);
  expect(git(at.root, "diff", "HEAD", "--name-only", "--", "gone.big", "before.big", "same.big")).toBe("");
});

test("[WS-17] a plain directory is compared with its first state", async () => {
  await using dir = await tempDir();
  await using scene = await gitScene();
  await write(dir.path, { "a.txt": "1\n" });
  const vault = await scene.openVault(dir.path);
  const first = await scan(vault);
  await write(dir.path, { "a.txt": "1\n2\n", "b.txt": "new\n" });
  expect(await ours(vault, first)).toEqual(["+1 -0 a.txt", "+1 -0 b.txt"]);
  const { head } = await readBase(vault, await scan(vault), first);
  expect(head).toBeNull();
});

test("[WS-2] reading the last commit changes nothing in the user's repository, and works without hard links", async () => {
  await using at = await gitScene();
  // Where there is one, a vault on another file system.
  const memory = await stat("/dev/shm").catch(() => null);
  const isOther = memory !== null && memory.dev !== (await stat(at.root)).dev;
  const vaults = await mkdtemp(join(isOther ? "/dev/shm" : at.dir.path, "liminal-vaults-"));
  await using _ = { [Symbol.asyncDispose]: () => rm(vaults, { recursive: true, force: true }) };
  const vault = await Vault.open(vaults, at.root);
  await write(at.root, { "a.txt": "2\n", "src/new.txt": "1\n" });
  git(at.root, "add", "-A");
  git(at.root, "commit", "-qm", "second");
  await write(at.root, { "a.txt": "3\n" });
  const inGit = await picture(join(at.root, ".git"), []);
  const current = await scan(vault);
  const base = await readBase(vault, current, null);
  expect((await compareScans(vault, base.scan, current)).map(({ path }) => path)).toEqual(["a.txt" as RawPath]);
  expect(await picture(join(at.root, ".git"), [])).toEqual(inGit);
  expect(base.head).toEqual({ branch: "main", commit: git(at.root, "rev-parse", "HEAD").trim() });
});

const ROUNDS_FULL = 100;
const NAMES = ["a", "b", "c.txt", "d.crlf", "e.auto", "ü", "-x", "s/a", "s/b.crlf", "s/t/c.auto"];

async function editOne(root: string, random: SeededRandom): Promise<void> {
  const path = join(root, random.pick(NAMES));
  await rm(path, { recursive: true, force: true });
  const kind = random.fraction();
  if (kind < 0.2) return;
  await mkdir(join(path, ".."), { recursive: true });
  if (kind < 0.3) return symlink(random.pick(["a", "nowhere"]), path);
  const line = () => `${random.pick(["1", "2", "3", "4"])}${random.pick(["\n", "\r\n"])}`;
  const text = Array.from({ length: random.between(0, 6) }, line).join("") + random.pick(["", "end", "\0"]);
  await writeFile(path, text);
  if (random.fraction() < 0.2) await chmod(path, 0o755);
}

test("[WS-17] random edits, staging and commits agree with Git", async () => {
  const random = seededRandom("changes since the last commit");
  await using at = await gitScene({ ".gitattributes": "*.crlf text eol=crlf\n*.auto text=auto\n" });
  git(at.root, "config", "core.autocrlf", random.pick(["true", "input", "false"]));
  const vault = await at.openVault();
  for (let round = 0; round < roundsOf(ROUNDS_FULL); round++) {
    for (let edit = random.between(1, 4); edit > 0; edit--) await editOne(at.root, random);
    const action = random.fraction();
    if (action < 0.3) git(at.root, "add", "-A");
    if (action < 0.15) git(at.root, "commit", "-qm", "next", "--allow-empty");
    // A file whose deletion is staged and that is there again: Git lists it twice, as deleted and as untracked.
    git(at.root, "add", "-N", ".");
    expect(await ours(vault)).toEqual(theirs(at.root));
  }
});
