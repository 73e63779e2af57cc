import { z } from "zod";
import { type RawPath, shownPath } from "../git/raw-path.ts";
import { GitError } from "../git/run-git.ts";
import type { LeftOut, Scan, ScannedPart } from "./scan.ts";
import type { Vault } from "./vault.ts";

const REFS = "refs/c/";
const ROOT_NAME = "root";
const PART_PREFIX = "part-";
const LEFT_OUT_NAME = "left-out";
export const NOTE_NAME = "note";

const StoredLeftOut = z.array(
  z.object({
    path: z.string(),
    reason: z.enum(["too large", "too much", "not a file", "unreadable", "too many repositories"]),
  }),
);

/** Ids come from the caller and become the names of refs. */
const CHECKPOINT_ID = /^[a-z0-9-]{1,64}$/;

/**
 * Keeps a scan under an id. A ref holds one tree with the tree of each part, so Git keeps all of them. `note` is any text
 * of the caller's that is kept with it.
 */
export async function storeCheckpoint(vault: Vault, id: string, scan: Scan, note: string | null = null): Promise<void> {
  const tree = await treeOf(vault, scan, note);
  await vault.git(["update-ref", refOf(id), tree, "0".repeat(tree.length)]);
}

const STATE_REFS = "refs/review/";
/** States of the review, which change: what the user has reviewed, and the first state there was. */
export type StateName = "reviewed" | "first";

/** Replaces one of the states of the review. */
export async function storeState(vault: Vault, name: StateName, scan: Scan, note: string | null = null): Promise<void> {
  await vault.git(["update-ref", `${STATE_REFS}${name}`, await treeOf(vault, scan, note)]);
}

/** Null when it was never stored. */
export async function readState(
  vault: Vault,
  name: StateName,
): Promise<{ readonly scan: Scan; readonly note: string | null } | null> {
  const scan = await readScan(vault, `${STATE_REFS}${name}`);
  if (scan === null) return null;
  return { scan, note: (await readNotesOf(vault, [`${STATE_REFS}${name}`]))[0] ?? null };
}

async function treeOf(vault: Vault, { parts, leftOut }: Scan, note: string | null): Promise<string> {
  const lines = parts.map(({ path, tree }) => `040000 tree ${tree}\t${partName(path)}\0`);
  if (leftOut.length > 0) {
    const input = JSON.stringify(leftOut);
    const blob = (await vault.git(["hash-object", "-w", "--stdin"], { input })).toString().trim();
    lines.push(`100644 blob ${blob}\t${LEFT_OUT_NAME}\0`);
  }
  if (note !== null) {
    const blob = (await vault.git(["hash-object", "-w", "--stdin"], { input: note })).toString().trim();
    lines.push(`100644 blob ${blob}\t${NOTE_NAME}\0`);
  }
  return (await vault.git(["mktree", "-z"], { input: lines.join("") })).toString().trim();
}

/** Null when there is none, or no longer. */
export async function readCheckpoint(vault: Vault, id: string): Promise<Scan | null> {
  return readScan(vault, refOf(id));
}

async function readScan(vault: Vault, ref: string): Promise<Scan | null> {
  const listed = await vault.tryGit(["ls-tree", "-z", ref]);
  if (listed.exitCode !== 0) return null;
  const parts: ScannedPart[] = [];
  let leftOut: readonly LeftOut[] = [];
  for (const line of listed.stdout.toString("latin1").split("\0")) {
    const [, type, object = "", name = ""] = /^\d+ (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (type === "tree") parts.push({ path: partOf(name), tree: object });
    if (type === "blob" && name === LEFT_OUT_NAME)
      leftOut = StoredLeftOut.parse(JSON.parse((await vault.git(["cat-file", "blob", object])).toString())).map(
        ({ path, reason }) => ({ path: path as RawPath, reason }),
      );
  }
  // The root comes first, as in a scan.
  return { parts: parts.sort((a, b) => Number(a.path !== "") - Number(b.path !== "")), leftOut };
}

/** More of one file is not read at a time. */
const READ_BYTES_MAX = 64 * 1024 * 1024;

/** A file as a checkpoint has it; null when it has none there. Throws for one that is too large. */
export async function readCheckpointFile(vault: Vault, { parts }: Scan, path: RawPath): Promise<Buffer | null> {
  const isIn = (part: RawPath) => part === "" || path.startsWith(`${part}/`);
  const [part] = parts.filter((one) => isIn(one.path)).sort((a, b) => b.path.length - a.path.length);
  if (part === undefined) return null;
  const name = part.path === "" ? path : path.slice(part.path.length + 1);
  const input = Buffer.from(`${part.tree}:${name}\0`, "latin1");
  const found = (await vault.git(["cat-file", "--batch-check", "-z"], { input })).toString("latin1");
  const [, id, size] = /^([0-9a-f]+) blob (\d+)\n$/.exec(found) ?? [];
  if (id === undefined) return null;
  if (Number(size) > READ_BYTES_MAX) throw new GitError(`${shownPath(path)} is too large to show.`);
  return vault.git(["cat-file", "blob", id]);
}

export async function dropCheckpoint(vault: Vault, id: string): Promise<void> {
  await vault.git(["update-ref", "-d", refOf(id)]);
}

export async function listCheckpoints(vault: Vault): Promise<string[]> {
  const listing = (await vault.git(["for-each-ref", "--format=%(refname)", REFS])).toString().trim();
  return listing === "" ? [] : listing.split("\n").map((ref) => ref.slice(REFS.length));
}

/** The notes of all checkpoints by their ids; null for one that was stored without. */
export async function readNotes(vault: Vault): Promise<Map<string, string | null>> {
  const ids = await listCheckpoints(vault);
  const notes = await readNotesOf(vault, ids.map(refOf));
  return new Map(ids.map((id, index) => [id, notes[index] ?? null]));
}

/** The notes of some refs, in their order. */
export async function readNotesOf(vault: Vault, refs: readonly string[]): Promise<(string | null)[]> {
  if (refs.length === 0) return [];
  const input = refs.map((ref) => `${ref}:${NOTE_NAME}\n`).join("");
  const output = await vault.git(["cat-file", "--batch"], { input });
  let at = 0;
  return refs.map(() => {
    const lineEnd = output.indexOf(0x0a, at);
    const [, size] = / blob (\d+)$/.exec(output.toString("latin1", at, lineEnd)) ?? [];
    const start = lineEnd + 1;
    at = size === undefined ? start : start + Number(size) + 1;
    return size === undefined ? null : output.toString("utf8", start, start + Number(size));
  });
}

function refOf(id: string): string {
  if (!CHECKPOINT_ID.test(id)) throw new Error(`not the id of a checkpoint: ${JSON.stringify(id)}`);
  return `${REFS}${id}`;
}

function partName(path: RawPath): string {
  return path === "" ? ROOT_NAME : `${PART_PREFIX}${encodeURIComponent(path)}`;
}

function partOf(name: string): RawPath {
  return (name === ROOT_NAME ? "" : decodeURIComponent(name.slice(PART_PREFIX.length))) as RawPath;
}
