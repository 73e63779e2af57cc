import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { asLogText, asPlainJson } from "../lib/harmless-text.ts";
import { REDACTED, redactSecrets } from "../lib/redact-secrets.ts";
import { LOG_LEVELS, LOG_OLD_FILES_MAX, type LogLevel } from "../lib/server-log-place.ts";
import { makePrivate } from "./data-dir.ts";

/** The server's log, for the terminal and for later diagnosis. */
export interface Logger {
  info(text: string): void;
  warn(text: string): void;
  error(text: string, error?: unknown): void;
}

const FILE_BYTES_MAX = 5 * 1024 * 1024;
const LINE_CHARS_MAX = 20_000;
const RECENT_LINES_MAX = 200;

interface ServerLogOptions {
  readonly now: () => number;
  readonly level: LogLevel;
  /** A line for the terminal. */
  readonly print: (line: string, level: LogLevel) => void;
  readonly file?: { readonly bytesMax: number; readonly oldMax: number };
}

/**
 * One line for the terminal and one JSON object for the file, both without secrets and control
 * characters. Lines that cannot be written are counted and reported later; the server keeps running.
 */
export class ServerLog implements Logger {
  readonly #options: ServerLogOptions;
  readonly #secrets: string[] = [];
  #recent: string[] = [];
  #file: RotatingFile | null = null;
  #unwritten = 0;
  readonly counts: Record<LogLevel, number> = { error: 0, warn: 0, info: 0, debug: 0 };

  constructor(options: ServerLogOptions) {
    this.#options = options;
  }

  info(text: string): void {
    this.#log("info", text);
  }

  warn(text: string): void {
    this.#log("warn", text);
  }

  error(text: string, error?: unknown): void {
    this.#log("error", error === undefined ? text : `${text}: ${describe(error)}`);
  }

  /** For the file only, and only at that level. */
  debug(text: string): void {
    this.#log("debug", text);
  }

  /** Redacts this text in all lines from now on. */
  hide(secret: string): void {
    if (secret !== "") this.#secrets.push(secret);
  }

  /** Also writes to this file from now on. */
  keepIn(path: string): void {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      this.#file = new RotatingFile(
        path,
        this.#options.file ?? { bytesMax: FILE_BYTES_MAX, oldMax: LOG_OLD_FILES_MAX },
      );
    } catch (error) {
      this.warn(`No log file: ${describe(error)}`);
    }
  }

  /** The last lines of the file, oldest first. */
  get recent(): readonly string[] {
    return this.#recent;
  }

  /** Text that may be shown to others. */
  clean(text: string): string {
    const known = this.#secrets.reduce((left, secret) => left.replaceAll(secret, REDACTED), text);
    return redactSecrets(known);
  }

  #log(level: LogLevel, text: string): void {
    this.counts[level] += 1;
    if (LOG_LEVELS.indexOf(level) > LOG_LEVELS.indexOf(this.#options.level)) return;
    const at = new Date(this.#options.now()).toISOString();
    const clean = this.clean(text.length > LINE_CHARS_MAX ? `${text.slice(0, LINE_CHARS_MAX)}…` : text);
    if (level !== "debug") this.#options.print(`${at} ${level} ${asLogText(clean)}\n`, level);
    const line = asPlainJson(JSON.stringify({ at, level, text: clean }));
    this.#recent = [...this.#recent.slice(1 - RECENT_LINES_MAX), line];
    this.#write(line, at);
  }

  #write(line: string, at: string): void {
    try {
      if (this.#unwritten > 0) {
        const text = `${this.#unwritten} line(s) could not be written to this log.`;
        this.#file?.append(JSON.stringify({ at, level: "warn", text }));
        this.#unwritten = 0;
      }
      this.#file?.append(line);
    } catch {
      // The disk is full: the next line that can be written says how many are missing.
      this.#unwritten += 1;
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

interface RotatingFileOptions {
  readonly bytesMax: number;
  /** How many full files are kept, as `<path>.1` (the newest), `<path>.2` and so on. */
  readonly oldMax: number;
}

/** Grows line by line and is rotated when it is full. Throws if a line cannot be written. */
class RotatingFile implements Disposable {
  readonly #path: string;
  readonly #options: RotatingFileOptions;
  #file: number;
  #bytes: number;

  constructor(path: string, options: RotatingFileOptions) {
    this.#path = path;
    this.#options = options;
    makePrivate(path);
    this.#file = openSync(path, "a", 0o600);
    this.#bytes = fstatSync(this.#file).size;
  }

  append(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#bytes > 0 && this.#bytes + bytes.byteLength > this.#options.bytesMax) this.#rotate();
    this.#bytes += writeSync(this.#file, bytes);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #rotate(): void {
    // Already rotated if there was no room for the next one.
    if (existsSync(this.#path)) this.#putAside();
    const full = this.#file;
    this.#file = openSync(this.#path, "a", 0o600);
    this.#bytes = 0;
    closeSync(full);
  }

  #putAside(): void {
    const { oldMax } = this.#options;
    rmSync(`${this.#path}.${oldMax}`, { force: true });
    for (let number = oldMax - 1; number >= 1; number--)
      if (existsSync(`${this.#path}.${number}`)) renameSync(`${this.#path}.${number}`, `${this.#path}.${number + 1}`);
    renameSync(this.#path, `${this.#path}.1`);
  }
}
