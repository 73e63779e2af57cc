import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { copyFromPostgres, copyToPostgres, type Moved, MoveError } from "../store/move/move-database.ts";
import { DataDir } from "./data-dir.ts";
import { countHeld } from "./held-agents.ts";
import { InstanceLock } from "./instance-lock.ts";

interface MoveRequest {
  readonly dataDir: string;
  /** Of the PostgreSQL database. */
  readonly url: string;
}

/** The staging folder, until the move is complete. */
const ASIDE = "moving";

/** From a data directory into an empty database. */
export function moveToPostgres({ dataDir: path, url }: MoveRequest): Promise<Moved> {
  return moving(path, (dataDir, staged) => {
    if (!existsSync(dataDir.database)) throw new MoveError(`Nothing to move: ${dataDir.database} does not exist.`);
    return copyToPostgres(dataDir.database, staged, url);
  });
}

/** From a database into a data directory without any sessions. */
export function moveFromPostgres({ dataDir: path, url }: MoveRequest): Promise<Moved> {
  return moving(path, async (dataDir, staged) => {
    if (existsSync(dataDir.database))
      throw new MoveError(
        `${dataDir.database} is there already and was not changed. Set LIMINAL_DATA_DIR to a new directory, or move that file away.`,
      );
    const moved = await copyFromPostgres(url, staged);
    renameSync(staged, dataDir.database);
    return moved;
  });
}

/** Why nothing was moved, as text for the user; null for an error of another kind. */
export function moveProblem(error: unknown): string | null {
  return error instanceof MoveError ? error.message : null;
}

/** While no server runs; the staging folder is gone afterwards. */
async function moving(path: string, work: (dataDir: DataDir, staged: string) => Promise<Moved>): Promise<Moved> {
  const dataDir = new DataDir(path);
  using _lock = new InstanceLock(dataDir);
  if (countHeld(dataDir.path) > 0)
    throw new MoveError(
      `Agents of the last run are still running for ${dataDir.path}. Start Liminal Builder, stop it with liminal stop, then move. Nothing was changed.`,
    );
  const aside = dataDir.file(ASIDE);
  // Left by a move that was killed.
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { mode: 0o700 });
  try {
    return await work(dataDir, join(aside, "liminal.db"));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}
