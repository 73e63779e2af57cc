import { z } from "zod";
import type { SessionId } from "../../protocol/ids.ts";
import { type RawPath, shownPath } from "../git/raw-path.ts";
import { GitError } from "../git/run-git.ts";
import { readNotesOf } from "./checkpoint.ts";
import { Changed, changedBetween, keepWithObjects, mergeChanged, type States } from "./decisions.ts";
import { below } from "./scan.ts";
import type { Vault } from "./vault.ts";

/** A discard that waits for the end of a turn, with what it is to change in files and in what counts as reviewed. */
const StoredWaiting = z.object({
  waitId: z.string(),
  order: z.int(),
  at: z.string(),
  sessionId: z.string(),
  /** The places that were chosen, by their paths from the top; null for all. */
  items: z.nullable(z.array(z.object({ path: z.string(), hunkIds: z.optional(z.array(z.string())) }))),
  files: Changed,
  reviewed: Changed,
  /** Why it was not carried out when its time had come. */
  problem: z.nullable(z.string()),
});
type StoredWaiting = z.infer<typeof StoredWaiting>;

export interface WaitingDiscard {
  readonly waitId: string;
  readonly at: string;
  readonly sessionId: SessionId;
  readonly items: StoredWaiting["items"];
  readonly paths: readonly RawPath[];
  readonly problem: string | null;
}

/** The agent changed the same places before its turn ended. Nothing was touched. */
class WaitedTooLongError extends GitError {
  constructor(paths: readonly RawPath[]) {
    const [first = ""] = paths.map(shownPath);
    const more = paths.length > 1 ? ` and ${paths.length - 1} more` : "";
    super(`${first}${more} changed in the same place until the turn ended. Nothing was touched. Look at it again.`);
  }
}

const REFS = "refs/waiting/";
const WAIT_ID = /^[a-z0-9-]{1,64}$/;
export const WAITING_MAX = 200;

/** Kept in the vault with all objects it needs, so that it survives a restart and any housekeeping. */
export async function storeWaiting(
  vault: Vault,
  about: Pick<StoredWaiting, "waitId" | "at" | "sessionId" | "items">,
  { before, after }: { readonly before: States; readonly after: States },
): Promise<void> {
  const others = await readAll(vault);
  const waiting: StoredWaiting = {
    ...about,
    order: (others.at(-1)?.order ?? 0) + 1,
    files: await changedBetween(vault, before.current, after.current),
    reviewed: await changedBetween(vault, before.reviewed, after.reviewed),
    problem: null,
  };
  await store(vault, waiting);
}

/** Oldest first. */
export async function listWaiting(vault: Vault): Promise<WaitingDiscard[]> {
  return (await readAll(vault)).map(({ waitId, at, sessionId, items, files, problem }) => ({
    ...{ waitId, at, items, problem, sessionId: sessionId as SessionId },
    paths: files.map(({ part, file }) => below(part as RawPath, file as RawPath)),
  }));
}

/** False when there is none of this name: it was carried out or cancelled. */
export async function dropWaiting(vault: Vault, waitId: string): Promise<boolean> {
  if (!(await readAll(vault)).some((one) => one.waitId === waitId)) return false;
  await vault.git(["update-ref", "-d", refOf(waitId)]);
  return true;
}

export async function markProblem(vault: Vault, waitId: string, problem: string): Promise<void> {
  const waiting = (await readAll(vault)).find((one) => one.waitId === waitId);
  if (waiting) await store(vault, { ...waiting, problem });
}

/**
 * What it leads to in the files as they are now: a place that changed elsewhere in the same file meanwhile stays changed.
 * Throws when the same place has changed. The states themselves when it has nothing left to do.
 */
export async function dueStates(vault: Vault, waitId: string, now: States): Promise<States> {
  const waiting = (await readAll(vault)).find((one) => one.waitId === waitId);
  if (waiting === undefined) return now;
  const done = (changed: StoredWaiting["files"]) =>
    changed.map(({ part, file, before, after }) => ({ part, file, base: before, theirs: after }));
  return {
    current: await mergeChanged(vault, now.current, done(waiting.files), "refuse", WaitedTooLongError),
    // What counts as reviewed follows the files as far as it can.
    reviewed: await mergeChanged(vault, now.reviewed, done(waiting.reviewed), "ours", WaitedTooLongError),
  };
}

async function store(vault: Vault, waiting: StoredWaiting): Promise<void> {
  await keepWithObjects(vault, refOf(waiting.waitId), JSON.stringify(waiting), [...waiting.files, ...waiting.reviewed]);
}

async function readAll(vault: Vault): Promise<StoredWaiting[]> {
  const listing = (await vault.git(["for-each-ref", "--format=%(refname)", REFS])).toString().trim();
  if (listing === "") return [];
  const notes = await readNotesOf(vault, listing.split("\n"));
  const all = notes.flatMap((note) => (note === null ? [] : [StoredWaiting.parse(JSON.parse(note))]));
  return all.sort((a, b) => a.order - b.order);
}

function refOf(waitId: string): string {
  if (!WAIT_ID.test(waitId)) throw new Error(`not the id of a discard that waits: ${JSON.stringify(waitId)}`);
  return `${REFS}${waitId}`;
}
