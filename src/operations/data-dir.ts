import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ConfigError } from "./config.ts";

const TOKEN_BYTES = 32;
/** A shorter one can be guessed. */
export const TOKEN_CHARS_MIN = 22;
/** Token for commands of this user if the server's token comes from its environment. */
export const COMMAND_TOKEN_FILE = "command-token";

/** Which machines may dial in as places. */
export const RUNNERS_DIR = "runners";

/** Everything the app stores, readable by its user only. */
export class DataDir {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      chmodSync(path, 0o700);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ConfigError(`Cannot use ${path} (${why}). Set LIMINAL_DATA_DIR to a directory you own.`);
    }
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** A part has kept something in a directory of its own. */
  hasFiles(name: string): boolean {
    const path = this.file(name);
    return existsSync(path) && readdirSync(path).length > 0;
  }

  /** The database with all sessions, projects and settings. */
  get database(): string {
    return this.file("liminal.db");
  }

  /** Including the write-ahead log. */
  databaseBytes(): number {
    const parts = [this.database, `${this.database}-wal`];
    return parts.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  }

  /** Created once and kept, so that browsers stay signed in. A token that can be guessed is replaced. */
  token(warn: (text: string) => void): string {
    const path = this.file("token");
    if (existsSync(path)) {
      makePrivate(path);
      const kept = readFileSync(path, "utf8").trim();
      if (kept.length >= TOKEN_CHARS_MIN) return kept;
      if (kept !== "")
        warn(
          `The token in ${path} was too short (${kept.length} of at least ${TOKEN_CHARS_MIN} characters) and could be guessed. A new token was created: sign browsers in again with the link printed below, or with liminal open.`,
        );
    }
    const token = newToken();
    writePrivate(path, `${token}\n`);
    return token;
  }

  /** Created for this run, so that the environment's token is never written to disk. */
  commandToken(): string {
    const token = newToken();
    writePrivate(this.file(COMMAND_TOKEN_FILE), `${token}\n`);
    return token;
  }

  dropCommandToken(): void {
    rmSync(this.file(COMMAND_TOKEN_FILE), { force: true });
  }

  /** Which server this is for the runners of places. */
  placesIdentity(): { read(): string | null; write(text: string): void } {
    const path = this.file("places.json");
    return {
      read: () => (existsSync(path) ? readFileSync(path, "utf8") : null),
      write: (text) => writePrivate(path, text),
    };
  }

  lastPort(): number | null {
    const path = this.file("port");
    const port = existsSync(path) ? Number(readFileSync(path, "utf8")) : Number.NaN;
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
  }

  keepPort(port: number): void {
    writePrivate(this.file("port"), `${port}\n`);
  }
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Also for an existing file that was open to others. */
export function writePrivate(path: string, text: string): void {
  makePrivate(path);
  writeFileSync(path, text);
}

/** SQLite creates files readable to everyone, and those beside a database with the database's mode. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
}
