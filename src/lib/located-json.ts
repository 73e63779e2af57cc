import { JSON_LEVELS_MAX } from "./nesting.ts";

type Path = readonly (string | number)[];

interface SyntaxProblem {
  /** The object or value that could not be read. */
  readonly path: Path;
  readonly line: number;
  readonly message: string;
}

/** Hand-written JSON: its value as far as it can be read, the line of each part, and its mistakes. */
export interface LocatedJson {
  readonly value: unknown;
  /** At most one per line: what follows a mistake on its line is usually a consequence of it. */
  readonly problems: readonly SyntaxProblem[];
  /** The line of a part, or of the nearest enclosing part. */
  lineOf(path: Path): number;
}

/**
 * Parses JSON and recovers from mistakes: an unreadable part is left out, and the next one is read.
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

/**
 * Sets a member, or removes it with `undefined`. The rest of the text stays as it is, comments included. Objects on the
 * way are made as needed. Null when the text is not an object or has mistakes: what it means is not known then.
 */
export function withMember(text: string, path: readonly string[], value: unknown): string | null {
  const known = text.trim() === "" ? "{}\n" : text;
  const reader = new Reader(known);
  const document = reader.document();
  if (reader.problems.size > 0 || !reader.openings.has(keyOf([])) || typeof document !== "object") return null;
  const place = reader.members.get(keyOf(path));
  if (value === undefined) return place ? withoutRange(known, place.named, place.end) : known;
  const indent = "  ".repeat(path.length);
  const written = (of: unknown) => JSON.stringify(of, null, 2).replaceAll("\n", `\n${indent}`);
  if (place) {
    const isSame = JSON.stringify(valueAt(document, path)) === JSON.stringify(value);
    return isSame ? known : known.slice(0, place.start) + written(value) + known.slice(place.end);
  }
  const parent = path.slice(0, -1);
  const name = path.at(-1) ?? "";
  const opened = reader.openings.get(keyOf(parent));
  // A parent that is missing, or is no object, becomes one with this member.
  if (opened === undefined) return withMember(known, parent, { [name]: value });
  const end = opened.isEmpty ? `\n${indent.slice(2)}` : ",";
  const at = opened.at + 1;
  return `${known.slice(0, at)}\n${indent}${JSON.stringify(name)}: ${written(value)}${end}${known.slice(at)}`;
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => Reflect.get(Object(value), name), document);
}

/** With the comma that belongs to it; a line that is empty then goes, too. */
function withoutRange(text: string, start: number, end: number): string {
  const after = /^(?:[ \t\r\n]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*,/.exec(text.slice(end));
  const before = /,(?:[ \t\r\n]|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*$/.exec(text.slice(0, start));
  const removed = after
    ? text.slice(0, start) + after[0].slice(0, -1) + text.slice(end + after[0].length)
    : before
      ? text.slice(0, before.index) + before[0].slice(1) + text.slice(end)
      : text.slice(0, start) + text.slice(end);
  const from = after || !before ? start : start - 1;
  const lineStart = removed.lastIndexOf("\n", from - 1) + 1;
  const lineEnd = removed.indexOf("\n", from);
  const isEmpty = lineEnd !== -1 && removed.slice(lineStart, lineEnd).trim() === "" && lineStart > 0;
  return isEmpty ? removed.slice(0, lineStart) + removed.slice(lineEnd + 1) : removed;
}

const keyOf = (path: Path): string => JSON.stringify(path);
const SPACE_OR_COMMENT = /(?:[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*("|)/y;
const WORD = /[^\s,:{}[\]"]+/y;
const SKIPPED_PIECE = /"(?:[^"\\\n]|\\[^\n])*"?|[^"]/y;

class Reader {
  readonly problems = new Map<number, SyntaxProblem>();
  readonly lines = new Map<string, number>();
  /** Where members are in the text, by path: the name, and the value. */
  readonly members = new Map<string, { readonly named: number; readonly start: number; readonly end: number }>();
  /** Where objects begin, by path. */
  readonly openings = new Map<string, { readonly at: number; readonly isEmpty: boolean }>();
  readonly #text: string;
  /** Where values begin, by path. */
  readonly #starts = new Map<string, number>();
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

  /** Undefined if nothing could be read. */
  #value(path: Path): unknown {
    const line = this.#currentLine();
    const sign = this.#next();
    if (path.length > 0) this.lines.set(keyOf(path), this.#currentLine());
    this.#starts.set(keyOf(path), this.#at);
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
    const openedAt = this.#at;
    const members = new Map<string, unknown>();
    this.#at += 1;
    this.openings.set(keyOf(path), { at: openedAt, isEmpty: this.#next() === "}" });
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
    const named = this.#at;
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
    const start = this.#starts.get(keyOf(place)) ?? this.#at;
    this.members.set(keyOf(place), { named, start, end: this.#at });
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

  /** Moves to the next item or to the closing bracket. */
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

  /** Skips to the next comma or closing bracket of this level. */
  #skip(): undefined {
    let levels = 0;
    for (let sign = this.#next(); sign !== ""; sign = this.#next()) {
      if (levels === 0 && /[,}\]]/.test(sign)) return;
      if (/[{[]/.test(sign)) levels += 1;
      if (/[}\]]/.test(sign)) levels -= 1;
      this.#match(SKIPPED_PIECE);
    }
  }

  /** The next significant character; empty at the end. */
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
