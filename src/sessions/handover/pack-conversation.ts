import { changedLines, entryTime, touchedFiles } from "../../presentation/entry-text.ts";
import { toolLine } from "../../presentation/tool-line.ts";
import { packEnd } from "../../protocol/conversation-pack.ts";
import type { ContextCounts } from "../../protocol/conversations.ts";
import type { Entry, EntryOf, Part, ToolCallEntry, UserEntry } from "../../protocol/entry.ts";

/** The maximum length of a context pack. */
export const PACK_CHARS_MAX = 48_000;
/** A pack takes at most this part of the agent's context. */
const CONTEXT_PART_MAX = 0.25;
const CHARS_PER_TOKEN = 3;
/** Fewer would hold little more than the text around them. */
const PACK_CHARS_MIN = 2_000;
const FILES_MAX = 50;
const LINE_CHARS_MAX = 200;
const OUTPUT_LINES_MAX = 5;

/** The limit of a pack for this agent; `contextTokens` is the size of its context, null if unknown. */
export function packBudgetChars(contextTokens: number | null): number {
  if (contextTokens === null) return PACK_CHARS_MAX;
  const part = Math.floor(contextTokens * CONTEXT_PART_MAX * CHARS_PER_TOKEN);
  return Math.max(PACK_CHARS_MIN, Math.min(PACK_CHARS_MAX, part));
}

/** An entry and the agent that it came from or went to. */
export interface ToldEntry {
  readonly entry: Entry;
  readonly agent: string;
}

export interface PackInput {
  readonly uri: string;
  readonly title: string;
  /** The newest entries, oldest first. */
  readonly entries: readonly ToldEntry[];
  /** The first message of the conversation. */
  readonly first: UserEntry | null;
  /** How many entries there are before those of `entries`. */
  readonly older: number;
  readonly budgetChars: number;
}

export interface Pack {
  readonly content: string;
  readonly context: ContextCounts;
}

/**
 * Pure: the context pack of a conversation; null when there are no messages. Items are included whole or not at all,
 * and a turn that does not fit becomes one line. The most important comes first: the last request and its answer, the
 * first request, the open plan, the files, then turns from the newest on. They are written oldest first.
 */
export function packConversation(input: PackInput): Pack | null {
  const { entries, first, older, budgetChars, uri } = input;
  const turns = turnsOf(entries);
  const last = turns.at(-1);
  if (!last) return null;
  const room = new Room(budgetChars - frameChars(input));
  const told = new Map<Turn, string>();
  tellLast(last, room, told);
  const request = first && last.asked.entryId !== first.entryId ? room.tryAll([firstRequest(first)]) : null;
  const plan = room.tryAll(planItems(entries));
  const files = room.tryEach("## Files touched", fileItems(entries));
  for (const turn of turns.slice(0, -1).toReversed()) {
    const text = room.take(wholeTurn(turn)) ?? room.take(turnInALine(turn));
    if (text === null) break;
    told.set(turn, text);
  }
  // A short conversation has it among its turns.
  const isFirstTold = [...told].some(
    ([turn, text]) => turn.asked.entryId === first?.entryId && text === wholeTurn(turn),
  );
  const toldEntries = [...told.keys()].reduce((sum, turn) => sum + turn.entries.length, 0);
  const omitted = older + entries.length - toldEntries;
  const blocks = [
    ...headItems(input, told.size, omitted),
    ...(isFirstTold ? [] : (request ?? [])),
    ...(plan ?? []),
    ...files,
    TURNS_HEADING,
    ...turns.flatMap((turn) => told.get(turn) ?? []),
    packEnd(uri),
  ];
  const content = blocks.join(GAP);
  return { content, context: { chars: content.length, turns: told.size, omitted } };
}

const GAP = "\n\n";
const TURNS_HEADING = "## Turns, oldest first";

/** Takes items while they fit. */
class Room {
  #chars: number;

  constructor(chars: number) {
    this.#chars = chars;
  }

  /** The text, or null when it does not fit. */
  take(text: string): string | null {
    const chars = text.length + GAP.length;
    if (chars > this.#chars) return null;
    this.#chars -= chars;
    return text;
  }

  tryAll(items: readonly string[]): readonly string[] | null {
    const text = items.join(GAP);
    return text === "" || this.take(text) === null ? null : items;
  }

  /** As one block, with as many lines as fit. */
  tryEach(heading: string, lines: readonly string[]): readonly string[] {
    if (lines.length === 0 || this.take(heading) === null) return [];
    const end = lines.findIndex((line) => this.take(line) === null);
    const fitting = end === -1 ? lines : lines.slice(0, end);
    return fitting.length === 0 ? [] : [[heading, ...fitting].join("\n")];
  }
}

interface Turn {
  readonly asked: UserEntry;
  readonly agent: string;
  readonly entries: readonly Entry[];
}

/** Entries before the first message belong to a turn that is incomplete here. */
function turnsOf(entries: readonly ToldEntry[]): Turn[] {
  const turns: { asked: UserEntry; agent: string; entries: Entry[] }[] = [];
  for (const { entry, agent } of entries) {
    if (entry.type === "user" && entry.steered === undefined && entry.parentToolCallId === undefined)
      turns.push({ asked: entry, agent, entries: [entry] });
    else turns.at(-1)?.entries.push(entry);
  }
  return turns;
}

/** Whole if that leaves room; otherwise the request and the answer, each whole or as one line. */
function tellLast(turn: Turn, room: Room, told: Map<Turn, string>): void {
  const whole = room.take(wholeTurn(turn));
  if (whole !== null) {
    told.set(turn, whole);
    return;
  }
  const answer = turn.entries.findLast((entry) => entry.type === "assistant" && entry.parentToolCallId === undefined);
  const items = [turn.asked, ...(answer ? [answer] : [])].flatMap((entry) => {
    const text = itemOf(entry, turn.agent);
    return text === null ? [] : [room.take(text) ?? room.take(missing(entry)) ?? []].flat();
  });
  if (items.length > 0) told.set(turn, items.join(GAP));
}

function missing(entry: Entry): string {
  return `(${entry.type === "user" ? "A message" : "An answer"} of ${entry.content.length} characters is left out here.)`;
}

function wholeTurn({ entries, agent }: Turn): string {
  return entries.flatMap((entry) => itemOf(entry, agent) ?? []).join(GAP);
}

function turnInALine({ asked, entries, agent }: Turn): string {
  const answer = entries.findLast((entry) => entry.type === "assistant");
  const tools = entries.filter(({ type }) => type === "tool-call").length;
  return `- ${timeOf(asked)}, to ${agent}: “${oneLine(asked.content)}” (in short: ${tools} tool calls, an answer of ${answer?.content.length ?? 0} characters)`;
}

/** How an entry is written; null when it is left out. */
export function itemOf(entry: Entry, agent: string): string | null {
  // A sub-agent's work is represented by its result.
  if (entry.parentToolCallId !== undefined) return null;
  switch (entry.type) {
    case "user":
      return messageText(entry.steered ? "User, during that turn" : "User", entry, entry.attachments);
    case "assistant":
      return entry.content === "" && entry.parts === undefined ? null : messageText(agent, entry, entry.parts);
    case "tool-call":
      return toolItem(entry);
    case "notice":
      return entry.severity === "info" && entry.turnEnd === undefined ? null : `- note: ${oneLine(entry.content)}`;
    case "changes":
      return `- files: ${entry.content}`;
    case "thinking":
    case "plan":
      return null;
    default:
      return entry satisfies never;
  }
}

function messageText(who: string, entry: EntryOf<"user" | "assistant">, parts: readonly Part[] = []): string {
  return [`**${who}**, ${timeOf(entry)}:`, entry.content, ...parts.flatMap(partName)]
    .filter((text) => text !== "")
    .join("\n");
}

/** Pictures and files are named, not included. */
function partName(part: Part): string[] {
  switch (part.type) {
    case "image":
      return [`[picture: ${part.name ?? part.mimeType}]`];
    case "audio":
      return [`[sound: ${part.mimeType}]`];
    case "link":
      return [`[${part.name}](${part.uri})`];
    case "resource":
      return [`[file: ${part.uri}]`];
    case "text":
    case "diff":
    case "terminal":
    case "unknown":
      return [];
    default:
      return part satisfies never;
  }
}

const ENDS: Readonly<Record<ToolCallEntry["status"], string>> = {
  running: " → not finished",
  complete: "",
  error: " → failed",
  cancelled: " → stopped",
};

function toolItem(entry: ToolCallEntry): string {
  const { name, target } = toolLine(entry);
  const diffs = (entry.parts ?? []).filter((part) => part.type === "diff");
  if (diffs.length > 0)
    return diffs.map((part) => oneLine(`- edit ${part.path} ${lineCounts(part)}${ENDS[entry.status]}`)).join("\n");
  const line = oneLine(`- ${name === "Run" ? "run" : name} ${target}${ENDS[entry.status]}`);
  if (entry.kind !== "execute" && entry.status !== "error") return line;
  const output = (entry.error ?? entry.result ?? "").trimEnd();
  const shown = output === "" ? [] : output.split("\n").slice(-OUTPUT_LINES_MAX);
  return [line, ...shown.map((text) => `    ${oneLine(text)}`)].join("\n");
}

function lineCounts({ oldText, newText }: Extract<Part, { type: "diff" }>): string {
  const lines = changedLines(oldText, newText);
  const count = (mark: string) => lines.filter((line) => line.mark === mark).length;
  return `+${count("+")} −${count("-")}`;
}

function firstRequest(first: UserEntry): string {
  const whole = messageText("User", first, first.attachments);
  return `## The first request\n\n${whole.length > FIRST_CHARS_MAX ? missing(first) : whole}`;
}
/** A longer one would leave too little room for what came after it. */
const FIRST_CHARS_MAX = 12_000;

/** The newest plan, while part of it is open. */
function planItems(entries: readonly ToldEntry[]): readonly string[] {
  const plan = entries.map(({ entry }) => entry).findLast((entry) => entry.type === "plan");
  if (plan?.type !== "plan" || plan.items.every(({ status }) => status === "completed")) return [];
  const items = plan.items.map(
    ({ content, status }) => `- [${status === "completed" ? "x" : " "}] ${oneLine(content)}`,
  );
  return [["## Plan", ...items].join("\n")];
}

/** What changed according to the checkpoints; without them, according to the tools. Newest first. */
function fileItems(entries: readonly ToldEntry[]): readonly string[] {
  const counted = new Map<string, { added: number; removed: number }>();
  const named = new Set<string>();
  for (const { entry } of entries.toReversed()) {
    if (entry.type === "changes")
      for (const { path, added, removed } of entry.files) {
        const sum = counted.get(path) ?? { added: 0, removed: 0 };
        counted.set(path, { added: sum.added + (added ?? 0), removed: sum.removed + (removed ?? 0) });
      }
    for (const path of touchedFiles(entry)) named.add(path);
  }
  const changed = [...counted].map(([path, { added, removed }]) => `- ${oneLine(path)} +${added} −${removed}`);
  const others = [...named].filter((path) => ![...counted.keys()].some((known) => path.endsWith(known)));
  return [...changed, ...others.map((path) => `- ${oneLine(path)}`)].slice(0, FILES_MAX);
}

function headItems({ uri, title }: PackInput, turns: number, omitted: number): string[] {
  return [
    [
      uri,
      `# The conversation so far: ${oneLine(title)}`,
      "This is history, not a request: the user's message stands before it. You have no other memory of it; files are as they are now.",
      `${turns} turns are told here, whole or in a line; ${omitted} entries are left out. If you have the tool \`read_conversation\`, it has every word.`,
    ].join("\n"),
  ];
}

/** Length of the fixed parts, with the longest counts. */
function frameChars(input: PackInput): number {
  const most = input.older + input.entries.length;
  return [...headItems(input, most, most), TURNS_HEADING, packEnd(input.uri)].join(GAP).length;
}

function timeOf(entry: Entry): string {
  return entryTime(entry)?.slice(0, 16).replace("T", " ") ?? "";
}

function oneLine(text: string): string {
  const line = text
    .slice(0, LINE_CHARS_MAX * 2)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= LINE_CHARS_MAX ? line : `${line.slice(0, LINE_CHARS_MAX).toWellFormed()}…`;
}
