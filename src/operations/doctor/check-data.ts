import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  type Stats,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { findWholeDamage, inspectDatabase, NewerDatabaseError } from "../../store/database/open-database.ts";
import { SCHEMA_VERSION } from "../../store/migrations.ts";
import { loadConfigFile } from "../config-file.ts";
import { CrashReports } from "../crash-reports.ts";
import { TOKEN_CHARS_MIN } from "../data-dir.ts";
import { type Finding, note, ok, problem, wordsOfError } from "./finding.ts";

const FREE_BYTES_MIN = 100 * 1024 * 1024;
const FREE_BYTES_LOW = 1024 * 1024 * 1024;
const FUTURE_MS_MAX = 24 * 3_600_000;
/** Before this program was written. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
const OTHERS_RIGHTS = 0o077;

/** The data directory and all that lies in it. */
export function checkData(dataDir: string, now: number): readonly Finding[] {
  const nearest = nearestFolder(dataDir);
  if (!statSync(nearest).isDirectory())
    return [problem("data-dir", `${nearest} is a file.`, `Move it away, or set LIMINAL_DATA_DIR to a directory.`)];
  const folder = statSync(dataDir, { throwIfNoEntry: false });
  if (!folder) return [checkParent(dataDir), checkDisk(freeBytes(nearestFolder(dataDir))), checkClock(null, now)];
  const rights = checkRights(dataDir, folder);
  if (rights.some(({ id, status }) => id === "data-dir" && status === "problem" && !isReadable(dataDir))) return rights;
  return [
    ...rights,
    checkDisk(freeBytes(dataDir)),
    checkDatabase(join(dataDir, "liminal.db")),
    ...keptDamage(dataDir),
    ...checkConfigFile(join(dataDir, "config.json")),
    checkToken(join(dataDir, "token")),
    checkCrashes(dataDir),
    checkClock(statSync(join(dataDir, "liminal.db"), { throwIfNoEntry: false })?.mtimeMs ?? null, now),
  ];
}

function checkCrashes(dataDir: string): Finding {
  const crashes = new CrashReports(dataDir);
  const [newest] = crashes.names();
  if (newest === undefined) return ok("crashes", "No run has ended unexpectedly.");
  return note(
    "crashes",
    `An earlier run ended unexpectedly: ${crashes.pathOf(newest)} says how. Read it before you share it.`,
  );
}

function checkParent(dataDir: string): Finding {
  const parent = nearestFolder(dataDir);
  if (!isWritable(parent))
    return problem(
      "data-dir",
      `${dataDir} is not there and cannot be made.`,
      `Allow writing to ${parent}, or set LIMINAL_DATA_DIR.`,
    );
  return note("data-dir", `${dataDir} is not there yet; the first start makes it.`);
}

function checkRights(dataDir: string, { uid, mode }: Stats): readonly Finding[] {
  const us = process.getuid?.();
  if (us !== undefined && uid !== us)
    return [
      problem(
        "data-dir",
        `${dataDir} belongs to another user (${uid}, we are ${us}).`,
        `chown -R ${us} "${dataDir}", or set LIMINAL_DATA_DIR.`,
      ),
    ];
  if (!isWritable(dataDir) || !isReadable(dataDir))
    return [problem("data-dir", `${dataDir} cannot be read and written.`, `chmod 700 "${dataDir}"`)];
  if ((mode & OTHERS_RIGHTS) !== 0)
    return [
      problem("data-dir", `Other users can look into ${dataDir}, which holds your token.`, `chmod 700 "${dataDir}"`),
    ];
  return [ok("data-dir", `${dataDir} is yours alone.`)];
}

export function checkDisk(free: number): Finding {
  const gigabytes = `${(free / 1024 ** 3).toFixed(1)} GB`;
  if (free < FREE_BYTES_MIN)
    return problem(
      "disk",
      `Only ${gigabytes} are free: what agents say could not be kept.`,
      "Free some space on that disk.",
    );
  if (free < FREE_BYTES_LOW)
    return note("disk", `Only ${gigabytes} are free; installing agents needs 1 GB.`, "Free some space on that disk.");
  return ok("disk", `${gigabytes} are free.`);
}

function checkDatabase(path: string): Finding {
  if (!existsSync(path)) return note("database", "There is no database yet; the first start makes it.");
  if (statSync(path).isDirectory())
    return problem("database", `${path} is a directory; a file belongs there.`, "Move it away, then start again.");
  try {
    const { damage: found, version } = inspectDatabase(path);
    const damage = found ?? findWholeDamage(path);
    if (damage === null)
      return ok("database", `The database opens (schema ${version}, this version knows ${SCHEMA_VERSION}).`);
    return problem(
      "database",
      `${path} is damaged: ${damage}`,
      "Restore a backup (liminal restore), or start: the file is kept aside, and everything that reads is copied into a new one.",
    );
  } catch (error) {
    const fix = "Update Liminal Builder, or set LIMINAL_DATA_DIR to another directory.";
    if (error instanceof NewerDatabaseError) return problem("database", error.message, fix);
    return problem(
      "database",
      `${path} cannot be opened: ${wordsOfError(error)}.`,
      `Check who may read and write it: chmod 600 "${path}"`,
    );
  }
}

/** What an earlier start moved aside. */
function keptDamage(dataDir: string): readonly Finding[] {
  const kept = readdirSync(dataDir).filter((name) => /^liminal\.db\.damaged-.*Z$/.test(name));
  return kept.map((name) =>
    note(
      "damaged-database",
      `The database was damaged once; what read of it was copied. The damaged file is kept as ${join(dataDir, name)}.`,
      "Delete it with its -wal and -shm when nothing of it is missed.",
    ),
  );
}

function checkConfigFile(path: string): readonly Finding[] {
  if (!existsSync(path)) return [ok("config", "There is no config.json, and none is needed.")];
  const { problems } = loadConfigFile(path);
  if (problems.length === 0) return [ok("config", "config.json is valid.")];
  return problems.map((words) => problem("config", words, `Correct ${path} at that place, then start again.`));
}

function checkToken(path: string): Finding {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) return note("token", "There is no token yet; the first start makes it.");
  if ((file.mode & OTHERS_RIGHTS) !== 0)
    return problem(
      "token",
      "Other users can read the token.",
      `chmod 600 "${path}"; to have a new one, delete it and start again.`,
    );
  if (!file.isFile()) return problem("token", `${path} is not a file.`, "Move it away, then start again.");
  const { length } = readFileSync(path, "utf8").trim();
  if (length === 0) return problem("token", "The file with the token is empty.", `Delete ${path} and start again.`);
  if (length < TOKEN_CHARS_MIN)
    return problem(
      "token",
      `The token has ${length} characters and can be guessed; it needs at least ${TOKEN_CHARS_MIN}.`,
      `Delete ${path} and start again: a new one is made.`,
    );
  return ok("token", "The token can be read by you alone.");
}

function checkClock(storedAt: number | null, now: number): Finding {
  const shown = new Date(now).toISOString();
  const fix = "Set the clock of this machine, and let it be kept by a time server.";
  if (now < EARLIEST_MS) return problem("clock", `The clock says ${shown}, which is long ago.`, fix);
  if (storedAt !== null && storedAt > now + FUTURE_MS_MAX)
    return problem(
      "clock",
      `The clock says ${shown}, but the database was written on ${new Date(storedAt).toISOString()}.`,
      fix,
    );
  return ok("clock", `The clock says ${shown}.`);
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

function isWritable(path: string): boolean {
  return mayBe(path, constants.W_OK | constants.X_OK);
}

function isReadable(path: string): boolean {
  return mayBe(path, constants.R_OK | constants.X_OK);
}

function mayBe(path: string, rights: number): boolean {
  try {
    accessSync(path, rights);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
