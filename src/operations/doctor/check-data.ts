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
import { measureVaults } from "../../workspace/housekeeping.ts";
import { loadConfigFile } from "../config-file.ts";
import { CrashReports } from "../crash-reports.ts";
import { TOKEN_CHARS_MIN } from "../data-dir.ts";
import { errorText, type Finding, note, ok, problem } from "./finding.ts";

const FREE_BYTES_MIN = 100 * 1024 * 1024;
const FREE_BYTES_LOW = 1024 * 1024 * 1024;
const FUTURE_MS_MAX = 24 * 3_600_000;
/** Earlier than this program's first release. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
const OTHERS_RIGHTS = 0o077;

/** Checks the data directory and its contents. */
export async function checkData(dataDir: string, now: number): Promise<readonly Finding[]> {
  const nearest = nearestFolder(dataDir);
  if (!statSync(nearest).isDirectory())
    return [problem("data-dir", `${nearest} is a file.`, `Move it, or set LIMINAL_DATA_DIR to a directory.`)];
  const folder = statSync(dataDir, { throwIfNoEntry: false });
  if (!folder) return [checkParent(dataDir), checkDisk(freeBytes(nearestFolder(dataDir))), checkClock(null, now)];
  const rights = checkRights(dataDir, folder);
  if (rights.some(({ id, status }) => id === "data-dir" && status === "problem" && !isReadable(dataDir))) return rights;
  return [
    ...rights,
    checkDisk(freeBytes(dataDir)),
    checkDatabase(join(dataDir, "liminal.db")),
    ...keptDamage(dataDir),
    await checkVaults(join(dataDir, "vaults")),
    ...checkConfigFile(join(dataDir, "config.json")),
    checkToken(join(dataDir, "token")),
    checkCrashes(dataDir),
    checkClock(statSync(join(dataDir, "liminal.db"), { throwIfNoEntry: false })?.mtimeMs ?? null, now),
  ];
}

async function checkVaults(root: string): Promise<Finding> {
  const { vaults, bytes } = await measureVaults(root);
  if (vaults === 0) return ok("checkpoints", "No checkpoints yet.");
  const directories = vaults === 1 ? "1 directory" : `${vaults} directories`;
  const megabytes = (bytes / 1024 ** 2).toFixed(bytes < 10 * 1024 ** 2 ? 1 : 0);
  return ok("checkpoints", `Checkpoints of ${directories} take ${megabytes} MB (vaultBytesMax limits them).`);
}

function checkCrashes(dataDir: string): Finding {
  const crashes = new CrashReports(dataDir);
  const [newest] = crashes.names();
  if (newest === undefined) return ok("crashes", "No crash reports.");
  return note(
    "crashes",
    `An earlier run ended unexpectedly. Crash report: ${crashes.pathOf(newest)}. Review it before sharing.`,
  );
}

function checkParent(dataDir: string): Finding {
  const parent = nearestFolder(dataDir);
  if (!isWritable(parent))
    return problem(
      "data-dir",
      `${dataDir} does not exist and cannot be created.`,
      `Allow writing to ${parent}, or set LIMINAL_DATA_DIR.`,
    );
  return note("data-dir", `${dataDir} does not exist yet; the first start creates it.`);
}

function checkRights(dataDir: string, { uid, mode }: Stats): readonly Finding[] {
  const us = process.getuid?.();
  if (us !== undefined && uid !== us)
    return [
      problem(
        "data-dir",
        `${dataDir} belongs to another user (${uid}; you are ${us}).`,
        `chown -R ${us} "${dataDir}", or set LIMINAL_DATA_DIR.`,
      ),
    ];
  if (!isWritable(dataDir) || !isReadable(dataDir))
    return [problem("data-dir", `${dataDir} is not readable and writable.`, `chmod 700 "${dataDir}"`)];
  if ((mode & OTHERS_RIGHTS) !== 0)
    return [
      problem("data-dir", `Other users can read ${dataDir}, which contains your token.`, `chmod 700 "${dataDir}"`),
    ];
  return [ok("data-dir", `Only you can read ${dataDir}.`)];
}

export function checkDisk(free: number): Finding {
  const gigabytes = `${(free / 1024 ** 3).toFixed(1)} GB`;
  if (free < FREE_BYTES_MIN)
    return problem(
      "disk",
      `Only ${gigabytes} are free; agent output may not be stored.`,
      "Free some space on that disk.",
    );
  if (free < FREE_BYTES_LOW)
    return note("disk", `Only ${gigabytes} are free; installing agents needs 1 GB.`, "Free some space on that disk.");
  return ok("disk", `${gigabytes} are free.`);
}

function checkDatabase(path: string): Finding {
  if (!existsSync(path)) return note("database", "No database yet; the first start creates it.");
  if (statSync(path).isDirectory())
    return problem("database", `${path} is a directory, not a file.`, "Move it, then restart.");
  try {
    const { damage: found, version } = inspectDatabase(path);
    const damage = found ?? findWholeDamage(path);
    if (damage === null)
      return ok("database", `The database opens (schema ${version}, this version supports ${SCHEMA_VERSION}).`);
    return problem(
      "database",
      `${path} is damaged: ${damage}`,
      "Restore a backup (liminal restore), or start the server: it keeps the damaged file and copies all readable data into a new one.",
    );
  } catch (error) {
    const fix = "Update Liminal Builder, or set LIMINAL_DATA_DIR to another directory.";
    if (error instanceof NewerDatabaseError) return problem("database", error.message, fix);
    return problem(
      "database",
      `Cannot open ${path}: ${errorText(error)}.`,
      `Check its permissions: chmod 600 "${path}"`,
    );
  }
}

/** Files that an earlier start moved aside. */
function keptDamage(dataDir: string): readonly Finding[] {
  const kept = readdirSync(dataDir).filter((name) => /^liminal\.db\.damaged-.*Z$/.test(name));
  return kept.map((name) =>
    note(
      "damaged-database",
      `The database was damaged earlier, and its readable data was copied. The damaged file is kept as ${join(dataDir, name)}.`,
      "Delete it with its -wal and -shm files once you no longer need it.",
    ),
  );
}

function checkConfigFile(path: string): readonly Finding[] {
  if (!existsSync(path)) return [ok("config", "No config.json. It is optional.")];
  const { problems } = loadConfigFile(path);
  if (problems.length === 0) return [ok("config", "config.json is valid.")];
  return problems.map((words) => problem("config", words, `Correct ${path} there, then restart.`));
}

function checkToken(path: string): Finding {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) return note("token", "No token yet; the first start creates it.");
  if ((file.mode & OTHERS_RIGHTS) !== 0)
    return problem(
      "token",
      "Other users can read the token.",
      `chmod 600 "${path}"; for a new token, delete the file and restart.`,
    );
  if (!file.isFile()) return problem("token", `${path} is not a file.`, "Move it, then restart.");
  const { length } = readFileSync(path, "utf8").trim();
  if (length === 0) return problem("token", "The token file is empty.", `Delete ${path} and restart.`);
  if (length < TOKEN_CHARS_MIN)
    return problem(
      "token",
      `The token has ${length} characters and can be guessed; it needs at least ${TOKEN_CHARS_MIN}.`,
      `Delete ${path} and restart to create a new one.`,
    );
  return ok("token", "Only you can read the token.");
}

function checkClock(storedAt: number | null, now: number): Finding {
  const shown = new Date(now).toISOString();
  const fix = "Set the system clock and enable time synchronization.";
  if (now < EARLIEST_MS) return problem("clock", `The system clock is ${shown}, which is far in the past.`, fix);
  if (storedAt !== null && storedAt > now + FUTURE_MS_MAX)
    return problem(
      "clock",
      `The system clock is ${shown}, but the database was written on ${new Date(storedAt).toISOString()}.`,
      fix,
    );
  return ok("clock", `The system clock is ${shown}.`);
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
