import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Vault } from "../../src/workspace/vault/vault.ts";
import { tempDir } from "../support/temp-dir.ts";

const GIT = Bun.which("git") ?? "";

/**
 * A newer Git tidies up after a commit in a process of its own, whose lock comes and goes while a test looks at the
 * repository.
 */
const SETTINGS = ["user.name=a", "user.email=a@example.org", "protocol.file.allow=always", "maintenance.auto=false"];

/** The user's own Git, as they would type it. Throws when it fails. */
export function git(root: string, ...words: string[]): string {
  const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
  const run = Bun.spawnSync([GIT, ...settings, "-C", root, ...words], { stdout: "pipe", stderr: "pipe" });
  if (run.exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${run.stderr.toString()}`);
  return run.stdout.toString();
}

export async function write(root: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

/** A repository with one commit, and a place for its vault. */
export async function gitScene(files: Readonly<Record<string, string>> = { "a.txt": "one\n", "src/b.txt": "two\n" }) {
  const dir = await tempDir();
  const root = dir.join("work");
  await mkdir(root);
  git(root, "init", "-q", "-b", "main");
  await write(root, files);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  return {
    root,
    dir,
    openVault: (place = root) => Vault.open(dir.join("vaults"), place),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

/** Every file below a directory: kind, whether it is executable, and content, by its path. Directories count by what is in them. */
export async function picture(root: string, skip: readonly string[] = [".git"]): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  const walk = async (at: Buffer, shown: string): Promise<void> => {
    for (const name of (await readdir(at, { encoding: "buffer" })).map((entry) => Buffer.from(entry))) {
      const text = name.toString("latin1");
      if (skip.includes(text)) continue;
      const path = Buffer.concat([at, Buffer.from("/"), name]);
      const stats = await lstat(path);
      const label = `${shown}${text}`;
      if (stats.isDirectory()) await walk(path, `${label}/`);
      else if (stats.isSymbolicLink()) seen[label] = `link ${await readlink(path, "latin1")}`;
      else if (stats.isFile())
        seen[label] = `${stats.mode & 0o100 ? "program" : "file"} ${createHash("sha1")
          .update(await readFile(path))
          .digest("hex")}`;
      else seen[label] = "other";
    }
  };
  await walk(Buffer.from(root), "");
  return Object.fromEntries(Object.entries(seen).sort(([a], [b]) => (a < b ? -1 : 1)));
}
