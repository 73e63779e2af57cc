import { closeSync, existsSync, fstatSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { makePrivate } from "../data-dir.ts";

interface RotatingFileOptions {
  readonly bytesMax: number;
  /** How many full ones are kept, as `<path>.1` (the newest), `<path>.2` and so on. */
  readonly oldMax: number;
}

/** Grows line by line and is put aside when it is full. Throws when the disk does not take a line. */
export class RotatingFile implements Disposable {
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
