import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { asLogText, asPlainJson } from "../lib/harmless-text.ts";
import { REDACTED, redactSecrets } from "../lib/redact-secrets.ts";
import { LOG_LEVELS, LOG_OLD_FILES_MAX, type LogLevel } from "../lib/server-log-place.ts";
import { makePrivate } from "./data-dir.ts";

/** What happens in the server, for the person at the terminal and for whoever looks later. */
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
  /** A line for the person at the terminal. */
  readonly print: (line: string, level: LogLevel) => void;
  readonly file?: { readonly bytesMax: number; readonly oldMax: number };
}

/**
 * One line for the terminal and one JSON object for the file, both without secrets and without anything that steers a
 * terminal. What the disk does not take is counted and told later; nothing ends for it.
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

  /** For the file alone, and only where it was asked for. */
  debug(text: string): void {
    this.#log("debug", text);
  }

  /** From now on this is in no line, however it got there. */
  hide(secret: string): void {
    if (secret !== "") this.#secrets.push(secret);
  }

  /** From now on there is a file, too. */
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

  /** The last lines of the file's kind, oldest first. */
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
      // A full disk: the terminal has it, and the next line that can be written says how many are missing.
      this.#unwritten += 1;
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

interface RotatingFileOptions {
  readonly bytesMax: number;
  /** How many full ones are kept, as `<path>.1` (the newest), `<path>.2` and so on. */
  readonly oldMax: number;
}

/** Grows line by line and is put aside when it is full. Throws when the disk does not take a line. */
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
    // It is aside already where there was no room for the next one.
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
