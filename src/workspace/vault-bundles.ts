import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkGit, GitError } from "./git/run-git.ts";
import { emptyVault, Vault } from "./vault/vault.ts";
import { readIfThere } from "./vault/vault-files.ts";

const VAULT = /^([0-9a-f]{24})\.git$/;
export const BUNDLE_NAME = /^[0-9a-f]{24}\.bundle$/;
const BUNDLE_TIMEOUT_MS = 10 * 60 * 1000;
const HEADER_BYTES = 1024;
/** They name a state of this machine's files and of one moment; a restored vault makes its own. */
const STATE_REFS = /^refs\/(?:index|waiting)\//;
/** An existing vault keeps its own review, and gets what it does not have of the rest. */
const ADDED_REFS = /^refs\/(?:c|undo)\//;

/** Writes all checkpoints of each vault to a file of its own, while a server may work. Gives the names of the files. */
export async function bundleVaults(root: string, folder: string): Promise<string[]> {
  const names = (await readdir(root).catch(() => [])).flatMap((name) => VAULT.exec(name)?.[1] ?? []).sort();
  if (names.length > 0) await requireGit();
  const written: string[] = [];
  for (const name of names) {
    const path = join(root, `${name}.git`);
    if ((await readIfThere(join(path, "complete"))) === null) continue;
    const vault = Vault.ofUnknownDirectory(path);
    const refs = (await vault.git(["for-each-ref", "--format=%(refname)"])).toString().trim().split("\n");
    const kept = refs.filter((ref) => ref !== "" && !STATE_REFS.test(ref));
    if (!kept.some((ref) => ADDED_REFS.test(ref))) continue;
    const file = `${name}.bundle`;
    // One that is deleted meanwhile was dropped by the retention of checkpoints: the others are still written.
    const args = ["bundle", "create", "--quiet", join(folder, file), "--ignore-missing", "--stdin"];
    await vault.git(args, { input: `${kept.join("\n")}\n`, timeoutMs: BUNDLE_TIMEOUT_MS, isLowPriority: true });
    written.push(file);
  }
  return written;
}

export interface UnbundledVaults {
  readonly vaults: number;
  readonly checkpoints: number;
}

/** Brings checkpoints back. What is there stays: checkpoints of an existing vault are added to. */
export async function unbundleVaults(folder: string, files: readonly string[], root: string): Promise<UnbundledVaults> {
  await requireGit();
  let checkpoints = 0;
  for (const file of files) {
    if (!BUNDLE_NAME.test(file)) throw new GitError(`${file} is not the name of a bundle.`);
    checkpoints += await unbundle(join(folder, file), join(root, file.replace(/\.bundle$/, ".git")));
  }
  return { vaults: files.length, checkpoints };
}

async function unbundle(bundle: string, target: string): Promise<number> {
  const isThere = (await readIfThere(join(target, "complete"))) !== null;
  const place = isThere ? target : `${target}.restoring`;
  if (!isThere) {
    await rm(place, { recursive: true, force: true });
    await mkdir(place, { recursive: true, mode: 0o700 });
    await emptyVault(place, await objectFormatOf(bundle));
  }
  const vault = Vault.ofUnknownDirectory(place);
  const listing = (await vault.git(["bundle", "unbundle", bundle], { timeoutMs: BUNDLE_TIMEOUT_MS })).toString();
  const known = new Set((await vault.git(["for-each-ref", "--format=%(refname)"])).toString().trim().split("\n"));
  const refs = listing.split("\n").flatMap((line) => {
    const [, id = "", ref = ""] = /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line) ?? [];
    const isWanted = ref !== "" && !known.has(ref) && (!isThere || ADDED_REFS.test(ref));
    return isWanted ? [{ id, ref }] : [];
  });
  const input = refs.map(({ id, ref }) => `create ${ref} ${id}\n`).join("");
  if (input !== "") await vault.git(["update-ref", "--stdin"], { input });
  if (!isThere) {
    await writeFile(join(place, "complete"), "", { mode: 0o600 });
    // What an interrupted creation left.
    await rm(target, { recursive: true, force: true });
    await rename(place, target);
  }
  return refs.filter(({ ref }) => ref.startsWith("refs/c/")).length;
}

async function objectFormatOf(bundle: string): Promise<"sha1" | "sha256"> {
  await using file = await open(bundle, "r");
  const header = Buffer.alloc(HEADER_BYTES);
  await file.read(header, 0, HEADER_BYTES, 0);
  return /^@object-format=sha256$/m.test(header.toString("latin1")) ? "sha256" : "sha1";
}

async function requireGit(): Promise<void> {
  const git = await checkGit();
  if (!git.ok) throw new GitError(git.reason);
}
