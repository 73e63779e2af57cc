import { z } from "zod/mini";
import type { HunkLine } from "../../presentation/hunk-lines.ts";
import { pathFromDirectory } from "../../protocol/changes.ts";

export const REMARK_CHARS_MAX = 10_000;
const REMARKS_MAX = 200;
/** A longer quote adds nothing. */
const QUOTED_LINES_MAX = 40;
const QUOTED_CHARS_MAX = 400;

/** The user's remark on some lines; `side`: which version the line numbers belong to. */
const Remark = z.object({
  id: z.string(),
  path: z.string(),
  side: z.enum(["old", "new"]),
  from: z.int(),
  to: z.int(),
  /** The lines as they were, each behind its sign. */
  quote: z.array(z.string()),
  text: z.string().check(z.maxLength(REMARK_CHARS_MAX)),
});
export type Remark = z.infer<typeof Remark>;
const Remarks = z.array(Remark).check(z.maxLength(REMARKS_MAX));

/** The place of a remark: the new lines that were chosen, or the old ones where all of them are removed. */
export type RemarkPlace = Omit<Remark, "id" | "text">;

const SIGNS = { same: " ", added: "+", removed: "-" } as const;

export function remarkPlace(path: string, chosen: readonly HunkLine[]): RemarkPlace | null {
  const isOld = chosen.every(({ newNumber }) => newNumber === null);
  const numbers = chosen.flatMap((line) => (isOld ? line.oldNumber : line.newNumber) ?? []);
  const [from, to] = [numbers[0], numbers.at(-1)];
  if (from === undefined || to === undefined) return null;
  const quote = chosen.map(({ kind, text }) => SIGNS[kind] + cut(text));
  return { path, side: isOld ? "old" : "new", from, to, quote: quote.slice(0, QUOTED_LINES_MAX) };
}

function cut(text: string): string {
  return text.length > QUOTED_CHARS_MAX ? `${text.slice(0, QUOTED_CHARS_MAX)} …` : text;
}

/** The same lines in the file as it is now: what is above them may have come or gone. Null when they are not there. */
export function findAgain(place: RemarkPlace, hunks: readonly (readonly HunkLine[])[]): RemarkPlace | null {
  const found = hunks.flatMap((lines) =>
    lines.flatMap((_, at) => {
      const chosen = lines.slice(at, at + place.quote.length);
      const now = remarkPlace(place.path, chosen);
      return now?.side === place.side && now.quote.every((line, index) => line === place.quote[index]) ? [now] : [];
    }),
  );
  const distance = ({ from }: RemarkPlace) => Math.abs(from - place.from);
  return (
    found.filter(({ quote }) => quote.length === place.quote.length).toSorted((a, b) => distance(a) - distance(b))[0] ??
    null
  );
}

/** Whether the remark is about this line. */
export function isAbout({ side, from, to }: RemarkPlace, line: HunkLine): boolean {
  const number = side === "old" ? (line.kind === "removed" ? line.oldNumber : null) : line.newNumber;
  return number !== null && number >= from && number <= to;
}

/** Whether the remark stands below this line. */
export function standsBelow({ side, to }: RemarkPlace, line: HunkLine): boolean {
  return (side === "old" ? (line.kind === "removed" ? line.oldNumber : null) : line.newNumber) === to;
}

/**
 * All remarks as one message to the agent: the place, as a path from the agent's directory, the lines themselves, and
 * the user's text.
 */
export function remarksPrompt(remarks: readonly Remark[], prefix: string): string {
  const ordered = remarks.toSorted((a, b) => (a.path === b.path ? a.from - b.from : a.path < b.path ? -1 : 1));
  const parts = ordered.map(({ path, side, from, to, quote, text }) => {
    const lines = from === to ? `${from}` : `${from}-${to}`;
    const removed = side === "old" ? " (removed lines)" : "";
    const fence = fenceFor(quote);
    return `${pathFromDirectory(path, prefix)}:${lines}${removed}\n${fence}diff\n${quote.join("\n")}\n${fence}\n${text.trim()}`;
  });
  const intro = parts.length === 1 ? "A remark on your changes:" : `${parts.length} remarks on your changes:`;
  return [intro, ...parts].join("\n\n");
}

/** Longer than any fence in the quoted lines. */
function fenceFor(quote: readonly string[]): string {
  const longest = Math.max(2, ...quote.flatMap((line) => (line.match(/`{3,}/g) ?? []).map(({ length }) => length)));
  return "`".repeat(longest + 1);
}

/** Remarks that were not sent, and the message of a commit that was not made, survive a refresh of the page. */
export class ReviewDrafts {
  readonly #key: string;
  readonly #messageKey: string;
  readonly #storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;

  constructor(sessionName: string, storage: Pick<Storage, "getItem" | "setItem" | "removeItem">) {
    this.#key = `liminal:remarks:${sessionName}`;
    this.#messageKey = `liminal:commit-message:${sessionName}`;
    this.#storage = storage;
  }

  get message(): string {
    try {
      return this.#storage.getItem(this.#messageKey) ?? "";
    } catch {
      return ""; // storage is off
    }
  }

  keepMessage(message: string): void {
    this.#write(this.#messageKey, message);
  }

  read(): readonly Remark[] {
    try {
      return Remarks.safeParse(JSON.parse(this.#storage.getItem(this.#key) ?? "[]")).data ?? [];
    } catch {
      return []; // storage is off, or something else wrote there
    }
  }

  write(remarks: readonly Remark[]): void {
    this.#write(this.#key, remarks.length === 0 ? "" : JSON.stringify(remarks.slice(-REMARKS_MAX)));
  }

  #write(key: string, text: string): void {
    try {
      if (text === "") this.#storage.removeItem(key);
      else this.#storage.setItem(key, text);
    } catch {
      return; // full or switched off: they are still in memory
    }
  }
}
