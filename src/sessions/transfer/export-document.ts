import { z } from "zod";
import { isNestedDeeper, JSON_LEVELS_MAX } from "../../lib/nesting.ts";
import { TimeSlice } from "../../lib/time-slice.ts";
import { Entry } from "../../protocol/entry.ts";
import { CliType } from "../../protocol/ids.ts";
import { TITLE_CHARS_MAX } from "../../protocol/limits.ts";
import { Usage } from "../../protocol/session-parts.ts";
import { TitleSource } from "../../protocol/session-schema.ts";

export const EXPORT_FORMAT = "liminal-builder-session";
export const EXPORT_VERSION = 1;

const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)), "not a time");

/** The session's fields in a document, besides its entries. */
export const ExportedSession = z.object({
  title: z.string().min(1).max(TITLE_CHARS_MAX),
  titleSource: TitleSource,
  cliType: CliType,
  agentName: z.string().max(200),
  projectName: z.string().max(1_000),
  createdAt: time,
  lastActiveAt: time,
  usage: z.nullable(Usage),
});
export type ExportedSession = z.infer<typeof ExportedSession>;

/** Everything in a document but its entries. */
const ExportHead = z.object({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  exportedAt: time,
  session: ExportedSession,
});

/** A session being exported; entries come in batches, so that a long one is never completely in memory. */
export interface ExportSource {
  readonly session: ExportedSession;
  /** Where the session works. */
  readonly directory: string;
  /** The clock, in milliseconds. */
  readonly now: () => number;
  /** ISO 8601, UTC. */
  readonly exportedAt: string;
  readonly runs: () => AsyncIterable<readonly Entry[]>;
}

/** One format of a document, in pieces. */
export type ExportWriter = (source: ExportSource) => AsyncGenerator<string>;

const ENTRIES_MAX = 100_000;
const ENTRY_CHARS_MAX = 70_000_000;

export interface ReadDocument {
  readonly session: ExportedSession;
  readonly entries: readonly Entry[];
}

/** A file that is not a valid document, with the position of the error. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}

/** Validates everything first. Throws DocumentError with the position. */
export async function readDocument(text: string): Promise<ReadDocument> {
  const raw = parse(text);
  if (typeof raw !== "object" || raw === null || Array.isArray(raw))
    throw new DocumentError("The file is JSON but not an exported session: expected an object.");
  const head = ExportHead.safeParse(raw);
  if (!head.success) throw new DocumentError(issueText(head.error.issues[0], ""));
  const list: unknown = Reflect.get(raw, "entries");
  if (!Array.isArray(list)) throw new DocumentError("entries: expected a list.");
  if (list.length > ENTRIES_MAX) throw new DocumentError(`entries: more than ${ENTRIES_MAX}.`);
  const entries: Entry[] = [];
  const slice = new TimeSlice();
  for (const [index, one] of list.entries()) {
    entries.push(readEntry(one, `entries[${index}]`));
    await slice.yieldIfDue();
  }
  return { session: head.data.session, entries };
}

function readEntry(raw: unknown, place: string): Entry {
  if (isNestedDeeper(raw)) throw new DocumentError(`${place}: nested more than ${JSON_LEVELS_MAX} levels deep.`);
  const parsed = Entry.safeParse(raw);
  if (!parsed.success) throw new DocumentError(issueText(parsed.error.issues[0], place));
  const entry = parsed.data;
  if (JSON.stringify(entry).length > ENTRY_CHARS_MAX)
    throw new DocumentError(`${place}: longer than ${ENTRY_CHARS_MAX} characters.`);
  for (const field of ["timestamp", "startedAt", "endedAt"] as const) {
    const time: unknown = Reflect.get(entry, field);
    if (typeof time === "string" && Number.isNaN(Date.parse(time)))
      throw new DocumentError(`${place}.${field}: not a time.`);
  }
  return entry;
}

function issueText(issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined, at: string) {
  const path = (issue?.path ?? [])
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("");
  const place = `${at}${path}`.replace(/^\./, "");
  return `${place || "the file"}: ${issue?.message ?? "not an exported session"}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new DocumentError(`${brokenPlace(text)}: not JSON. Export the session again and import the file unchanged.`);
  }
}

/** A document has one entry per line, so the first unreadable line is the position. */
function brokenPlace(text: string): string {
  const lines = text.split("\n");
  const head = lines.findIndex((line) => line.includes('"entries"'));
  const index = lines.findIndex((line, at) => at > head && /^\{"/.test(line) && !isJson(line.replace(/,$/, "")));
  return index === -1 ? `line ${lines.length}` : `line ${index + 1}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // which is the question
  }
}
