import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod/mini";
import { identityOf } from "../agents/process/process-ledger.ts";
import { parseJson } from "../lib/parse-json.ts";

/**
 * A killed runner releases the lock at once; another one that starts in the same moment holds it only for its own
 * check.
 */
const TRIES_MAX = 50;
const TRY_MS = 100;

/** The runner that served a server last. */
const State = z.object({ epoch: z.int(), pid: z.int(), identity: z.nullable(z.string()) });
type State = z.infer<typeof State>;

export class ClaimRefusedError extends Error {
  override readonly name = "ClaimRefusedError";
  readonly code: "EPOCH" | "BUSY";

  constructor(code: "EPOCH" | "BUSY", message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Makes this process the only runner of a server on this machine, and ends the one before, whose channel may be cut
 * without either end knowing. An epoch below the highest one seen is refused; that is kept on disk. The lock belongs to
 * the operating system, so that it ends with this process, however that ends.
 */
export async function claim(dir: string, epoch: number): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (let tried = 0; tried < TRIES_MAX; tried++) {
    refuseOlder(readState(dir), epoch);
    endBefore(readState(dir));
    const lock = tryLock(join(dir, "lock"));
    if (lock) {
      // Another runner may have had the lock since the first look.
      const state = readState(dir);
      if (state !== null && state.epoch > epoch) lock.close();
      refuseOlder(state, epoch);
      writeState(dir, { epoch, pid: process.pid, identity: identityOf(process.pid) });
      HELD.push(lock);
      return;
    }
    await Bun.sleep(TRY_MS);
  }
  throw new ClaimRefusedError("BUSY", `Another runner uses ${dir} and does not end. End it there, then try again.`);
}

/** Open for the life of the process: closing one gives its lock back. */
const HELD: DatabaseSync[] = [];

function refuseOlder(state: State | null, epoch: number): void {
  if (state !== null && state.epoch > epoch)
    throw new ClaimRefusedError(
      "EPOCH",
      "A newer start of this server uses this place. Stop that server, or restart this one.",
    );
}

/** Never by pid alone: it may belong to another process by now. */
function endBefore(state: State | null): void {
  if (state === null || state.pid === process.pid || state.identity === null) return;
  if (identityOf(state.pid) !== state.identity) return;
  try {
    process.kill(state.pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
  }
}

function tryLock(path: string): DatabaseSync | null {
  const db = new DatabaseSync(path);
  try {
    db.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
    return db;
  } catch (error) {
    db.close();
    if (!/locked|busy/i.test(String(error))) throw error;
    return null;
  }
}

function readState(dir: string): State | null {
  let text: string;
  try {
    text = readFileSync(join(dir, "state.json"), "utf8");
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return null;
    throw error;
  }
  const state = State.safeParse(parseJson(text));
  if (!state.success)
    throw new ClaimRefusedError("BUSY", `${join(dir, "state.json")} cannot be read. Remove it there, then try again.`);
  return state.data;
}

function writeState(dir: string, state: State): void {
  const path = join(dir, "state.json");
  writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
