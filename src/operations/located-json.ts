import { JSON_LEVELS_MAX } from "../lib/nesting.ts";

type Path = readonly (string | number)[];

interface SyntaxProblem {
  /** The object or value that could not be read as written. */
  readonly path: Path;
  readonly line: number;
  readonly message: string;
}

/** JSON that a person wrote: its value as far as it can be read, the line of each part, and what is wrong with it. */
export interface LocatedJson {
  readonly value: unknown;
  /** At most one for each line: what follows a mistake on its line is usually a consequence of it. */
  readonly problems: readonly SyntaxProblem[];
  /** The line of a part, or of the nearest part around it. */
  lineOf(path: Path): number;
}

/**
 * Reads JSON and recovers from mistakes: a part that cannot be read is left out, and the next one is read.
 * Comments and trailing commas are accepted.
 */
export function parseLocatedJson(text: string): LocatedJson {
  const reader = new Reader(text);
  const value = reader.document();
  return {
    value,
    problems: [...reader.problems.values()],
    lineOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const line = reader.lines.get(keyOf(path.slice(0, length)));
        if (line !== undefined) return line;
      }
      return 1;
    },
  };
}

const keyOf = (path: Path): string => JSON.stringify(path);
const SPACE_OR_COMMENT = /(?:[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*("|)/y;
const WORD = /[^\s,:{}[\]"]+/y;
const SKIPPED_PIECE = /"(?:[^"\\\n]|\\[^\n])*"?|[^"]/y;

class Reader {
  readonly problems = new Map<number, SyntaxProblem>();
  readonly lines = new Map<string, number>();
  readonly #text: string;
  #at = 0;
  /** The line of `#lineStart`, which only moves forward. */
  #line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value([]);
    if (this.#next() !== "") this.#problem([], `unexpected ${this.#found()} after the end of the settings`);
    return value;
  }

  /** Undefined where nothing could be read. */
  #value(path: Path): unknown {
    const line = this.#currentLine();
    const sign = this.#next();
    if (path.length > 0) this.lines.set(keyOf(path), this.#currentLine());
    if (path.length > JSON_LEVELS_MAX) {
      this.#problem(path, "nested too deep");
      return this.#skip();
    }
    if (sign === "{") return this.#object(path);
    if (sign === "[") return this.#array(path);
    if (sign === '"') return this.#string(path);
    const word = this.#match(WORD);
    if (word === "") {
      this.#problem(path, `a value is missing before ${this.#found()}`, line);
      return undefined;
    }
    try {
      return JSON.parse(word);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#problem(path, `${JSON.stringify(word)} is not a value; text needs double quotes`);
      return undefined;
    }
  }

  #object(path: Path): Record<string, unknown> {
    const openedOn = this.#currentLine();
    const members = new Map<string, unknown>();
    this.#at += 1;
    for (let sign = this.#next(); sign !== "}"; sign = this.#next()) {
      if (sign === "") {
        this.#problem(path, `"}" is missing: opened on line ${openedOn} and never closed`);
        return Object.fromEntries(members);
      }
      if (sign === '"') this.#member(path, members);
      else {
        this.#problem(path, `expected a name in double quotes, found ${this.#found()}`);
        this.#skip();
      }
      this.#endOfItem(path, "}");
    }
    this.#at += 1;
    return Object.fromEntries(members);
  }

  #member(path: Path, members: Map<string, unknown>): void {
    const key = this.#string(path);
    if (key === undefined) return;
    const place = [...path, key];
    this.lines.set(keyOf(place), this.#currentLine());
    if (this.#next() !== ":") {
      this.#problem(place, `":" is missing after ${JSON.stringify(key)}`);
      this.#skip();
      return;
    }
    this.#at += 1;
    const value = this.#value(place);
    if (members.has(key)) this.#problem(place, "duplicate key; remove one");
    if (value !== undefined) members.set(key, value);
  }

  #array(path: Path): unknown[] {
    const openedOn = this.#currentLine();
    const items: unknown[] = [];
    this.#at += 1;
    for (let sign = this.#next(); sign !== "]"; sign = this.#next()) {
      if (sign === "") {
        this.#problem(path, `"]" is missing: opened on line ${openedOn} and never closed`);
        return items;
      }
      items.push(this.#value([...path, items.length]));
      this.#endOfItem(path, "]");
    }
    this.#at += 1;
    return items;
  }

  /** Leaves the reader at the next item or at the closing bracket. */
  #endOfItem(path: Path, closing: "}" | "]"): void {
    const line = this.#currentLine();
    const sign = this.#next();
    if (sign === ",") this.#at += 1;
    else if (sign !== closing && sign !== "") {
      this.#problem(path, `"," is missing before ${this.#found()}`, line);
      if (sign !== '"') this.#skip();
      if (this.#next() === ",") this.#at += 1;
      // A bracket of the other kind closes nothing here.
      else if (this.#next() !== closing && /[}\]:]/.test(this.#next())) this.#at += 1;
    }
  }

  #string(path: Path): string | undefined {
    const piece = this.#match(STRING);
    try {
      return JSON.parse(piece);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const isOpen = !/[^\\](?:\\\\)*"$/.test(piece);
      this.#problem(path, isOpen ? "missing closing double quote" : `${piece} has an invalid escape`);
      return undefined;
    }
  }

  /** Passes over everything up to the next comma or closing bracket of this level. */
  #skip(): undefined {
    let levels = 0;
    for (let sign = this.#next(); sign !== ""; sign = this.#next()) {
      if (levels === 0 && /[,}\]]/.test(sign)) return;
      if (/[{[]/.test(sign)) levels += 1;
      if (/[}\]]/.test(sign)) levels -= 1;
      this.#match(SKIPPED_PIECE);
    }
  }

  /** The next sign that counts; empty at the end. */
  #next(): string {
    this.#match(SPACE_OR_COMMENT);
    return this.#text.charAt(this.#at);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const piece = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += piece.length;
    return piece;
  }

  #found(): string {
    const sign = this.#next();
    return sign === "" ? "the end of the file" : JSON.stringify(sign);
  }

  #problem(path: Path, message: string, line = this.#currentLine()): void {
    if (!this.problems.has(line)) this.problems.set(line, { path, line, message });
  }

  #currentLine(): number {
    for (;;) {
      const end = this.#text.indexOf("\n", this.#lineStart);
      if (end === -1 || end >= this.#at) return this.#line;
      this.#line += 1;
      this.#lineStart = end + 1;
    }
  }
}
