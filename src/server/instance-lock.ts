import { existsSync, readFileSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type DataDir, writePrivate } from "./data-dir.ts";

/** Another server works with this data directory. */
export class AlreadyRunningError extends Error {
  override readonly name = "AlreadyRunningError";
}

/**
 * One server per data directory. The lock is the operating system's, held through SQLite: it is gone the moment the
 * process is, however it ends, so it can never be left behind.
 */
export class InstanceLock implements Disposable {
  readonly #db: DatabaseSync;
  readonly #noteFile: string;

  constructor(dataDir: DataDir) {
    this.#noteFile = dataDir.file("server.json");
    this.#db = new DatabaseSync(dataDir.file("lock"));
    try {
      this.#db.exec(
        "PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;",
      );
    } catch (error) {
      this.#db.close();
      if (!/locked|busy/i.test(String(error))) throw error;
      throw new AlreadyRunningError(
        `${dataDir.path} is in use by another Liminal Builder${this.#holder()}. Stop that one, or set LIMINAL_DATA_DIR to another directory.`,
      );
    }
  }

  /** Tells whoever comes second, and local tools, who we are. Never holds a secret. */
  announce(note: { pid: number; port: number; startedAt: string; version: string }): void {
    writePrivate(this.#noteFile, `${JSON.stringify(note)}\n`);
  }

  [Symbol.dispose](): void {
    rmSync(this.#noteFile, { force: true });
    this.#db.close();
  }

  #holder(): string {
    if (!existsSync(this.#noteFile)) return "";
    const note: unknown = JSON.parse(readFileSync(this.#noteFile, "utf8"));
    if (typeof note !== "object" || note === null) return "";
    return ` (process ${Reflect.get(note, "pid")}, port ${Reflect.get(note, "port")})`;
  }
}
