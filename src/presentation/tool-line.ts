import { visibleOneLine } from "../lib/visible-text.ts";
import { commandOf } from "../protocol/command-of.ts";
import type { ToolCallEntry, ToolLocation } from "../protocol/entry.ts";
import type { Json } from "../protocol/json.ts";

/** What a tool call and a request for permission have in common. */
interface ToolFacts {
  readonly name: string;
  readonly kind?: string | undefined;
  readonly input?: Json | undefined;
  readonly locations?: readonly ToolLocation[] | undefined;
}

/** Where agents put the one thing a call is about, best first. */
const TARGET_FIELDS = ["file_path", "path", "filePath", "url", "pattern", "query", "text"];
const COMMAND_WORD = "Run";
/** A row shows one line at most; what is longer is seen in full when it is opened. */
const ROW_CHARS_MAX = 1_000;
/** "Read src/main.ts": a verb and a place, which read better apart. */
const VERB_AND_PLACE = /^(\p{L}+) (\S*[./]\S*)$/u;

/**
 * The name of the line and what it is about; nothing is said twice, and what the agent called it is always there.
 * Paths inside `directory`, the session's own, are shown from there on; a command line always stands as it is.
 */
export function toolLine(tool: ToolFacts, directory = ""): { readonly name: string; readonly target: string } {
  const { name, target, isCommand } = wholeLine(tool);
  return { name: relativePaths(name, directory), target: isCommand ? target : relativePaths(target, directory) };
}

function wholeLine(tool: ToolFacts): { readonly name: string; readonly target: string; readonly isCommand: boolean } {
  const name = plainName(tool.name);
  const line = commandOf(tool.input);
  const command = line === null ? null : rowText(line);
  if (command !== null && tool.kind === "execute") {
    const isSaid = name.includes(command) || command.includes(name);
    return { name: isSaid ? COMMAND_WORD : name, target: command, isCommand: true };
  }
  const [, verb, object] = VERB_AND_PLACE.exec(name) ?? [];
  if (verb !== undefined && object !== undefined) return { name: verb, target: object, isCommand: false };
  const target = command ?? targetOf(tool);
  const isSaid = name.includes(target) || name.includes(baseName(target));
  return { name, target: isSaid ? "" : target, isCommand: command !== null };
}

/** Only where a path begins: `/a/b` inside `/c/a/b` is another place. */
export function relativePaths(text: string, directory: string): string {
  const root = directory.replace(/[\\/]$/, "");
  if (root === "" || !text.includes(root)) return text;
  if (text === root) return ".";
  return text
    .split(root)
    .reduce((before, after) =>
      /[\\/]/.test(after.charAt(0)) && !/[\w.~/\\-]$/.test(before.slice(-1))
        ? before + after.slice(1)
        : before + root + after,
    );
}

/** Agents write names as markdown code now and then; a name of several lines does not read like one. */
function plainName(name: string): string {
  return rowText(name.replaceAll("`", ""));
}

function rowText(text: string): string {
  return text.length > ROW_CHARS_MAX ? `${visibleOneLine(text.slice(0, ROW_CHARS_MAX))}…` : visibleOneLine(text);
}

function targetOf({ input, locations }: ToolFacts): string {
  const record = isRecord(input) ? input : {};
  for (const field of TARGET_FIELDS) {
    const value = record[field];
    if (typeof value === "string" && value !== "") return rowText(value);
  }
  const first = locations?.[0];
  return first === undefined ? "" : rowText(first.line === undefined ? first.path : `${first.path}:${first.line}`);
}

/** A path in two parts, so that its last name can stand out and the folders can give way. */
export function splitPath(path: string): { readonly folder: string; readonly file: string } {
  const at = path.lastIndexOf("/") + 1;
  return { folder: path.slice(0, at), file: path.slice(at) };
}

function baseName(path: string): string {
  return splitPath(path).file || path;
}

export function isRecord(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a call itself took: the time it waited for the user is not its own. Null while that is not known. */
export function ownTimeMs({ startedAt, endedAt, waitedMs = 0 }: ToolCallEntry): number | null {
  if (startedAt === undefined || endedAt === undefined) return null;
  return Math.max(0, Date.parse(endedAt) - Date.parse(startedAt) - waitedMs);
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long something took: "0.1 s", "12 s", "2m 14s", "1h 5m". */
export function durationWords(durationMs: number): string {
  if (durationMs < 10 * SECOND_MS) return `${(Math.max(0, durationMs) / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.floor(durationMs / SECOND_MS);
  if (durationMs < MINUTE_MS) return `${seconds} s`;
  if (durationMs < HOUR_MS) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`;
}
