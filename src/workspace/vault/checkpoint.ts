import { z } from "zod";
import type { RawPath } from "../git/raw-path.ts";
import type { LeftOut, Scan, ScannedPart } from "./scan.ts";
import type { Vault } from "./vault.ts";

const REFS = "refs/c/";
const ROOT_NAME = "root";
const PART_PREFIX = "part-";
const LEFT_OUT_NAME = "left-out";

const StoredLeftOut = z.array(
  z.object({
    path: z.string(),
    reason: z.enum(["too large", "too much", "not a file", "unreadable", "too many repositories"]),
  }),
);

/** Ids come from the caller and become the names of refs. */
const CHECKPOINT_ID = /^[a-z0-9-]{1,64}$/;

/** Keeps a scan under an id. A ref holds one tree with the tree of each part, so Git keeps all of them. */
export async function storeCheckpoint(vault: Vault, id: string, { parts, leftOut }: Scan): Promise<void> {
  const lines = parts.map(({ path, tree }) => `040000 tree ${tree}\t${partName(path)}\0`);
  if (leftOut.length > 0) {
    const input = JSON.stringify(leftOut);
    const blob = (await vault.git(["hash-object", "-w", "--stdin"], { input })).toString().trim();
    lines.push(`100644 blob ${blob}\t${LEFT_OUT_NAME}\0`);
  }
  const tree = (await vault.git(["mktree", "-z"], { input: lines.join("") })).toString().trim();
  await vault.git(["update-ref", refOf(id), tree, "0".repeat(tree.length)]);
}

/** Null when there is none, or no longer. */
export async function readCheckpoint(vault: Vault, id: string): Promise<Scan | null> {
  const listed = await vault.tryGit(["ls-tree", "-z", refOf(id)]);
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

export async function dropCheckpoint(vault: Vault, id: string): Promise<void> {
  await vault.git(["update-ref", "-d", refOf(id)]);
}

export async function listCheckpoints(vault: Vault): Promise<string[]> {
  const listing = (await vault.git(["for-each-ref", "--format=%(refname)", REFS])).toString().trim();
  return listing === "" ? [] : listing.split("\n").map((ref) => ref.slice(REFS.length));
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
