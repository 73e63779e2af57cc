import { visibleOneLine } from "../lib/visible-text.ts";
import { commandOf } from "../protocol/command-of.ts";
import type { ToolCallEntry, ToolLocation } from "../protocol/entry.ts";
import type { Json } from "../protocol/json.ts";

/** The common fields of a tool call and a request for permission. */
interface ToolFacts {
  readonly name: string;
  readonly kind?: string | undefined;
  readonly input?: Json | undefined;
  readonly locations?: readonly ToolLocation[] | undefined;
}

/** Fields in which agents put the target of a call, best first. */
const TARGET_FIELDS = ["file_path", "path", "filePath", "url", "pattern", "query", "text"];
const COMMAND_WORD = "Run";
/** A row shows at most one line; longer text is shown in full when it is opened. */
const ROW_CHARS_MAX = 1_000;
/** "Read src/main.ts": a verb and a path, shown separately. */
const VERB_AND_PLACE = /^(\p{L}+) (\S*[./]\S*)$/u;

/**
 * The name of the line and its target, without repetition; the agent's own name is always included. Paths inside
 * `directory`, the session's own, are shown relative to it; a command line is always unchanged.
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
    // The name is without its backticks, also where the command has some of its own.
    const isNamed = [command, plainName(line ?? "")].some((one) => name.includes(one) || one.includes(name));
    return { name: isNamed ? COMMAND_WORD : name, target: command, isCommand: true };
  }
  const [, verb, object] = VERB_AND_PLACE.exec(name) ?? [];
  if (verb !== undefined && object !== undefined) return { name: verb, target: object, isCommand: false };
  const target = command ?? targetOf(tool);
  const isNamed = name.includes(target) || name.includes(baseName(target));
  return { name, target: isNamed ? "" : target, isCommand: command !== null };
}

/** Only at the start of a path: `/a/b` inside `/c/a/b` is another path. */
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

/** Agents sometimes write names as markdown code; a name of several lines does not look like one line. */
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

/** A path in two parts, so that its file name can stand out and its folders can be shortened. */
export function splitPath(path: string): { readonly folder: string; readonly file: string } {
  const at = path.lastIndexOf("/") + 1;
  return { folder: path.slice(0, at), file: path.slice(at) };
}

/** A path as an agent or a person writes it: `src/a.ts:9`, `src/a.ts:9:4`, `src/a.ts:9-13`, `a.ts#L9-L13`. */
const PLACE = /^(.*?)(?:(?::|#L)(\d{1,9})(?::\d+)?(?:-L?(\d{1,9}))?)?$/s;

/** The path in the directory that a text refers to; null when it is outside of it. */
export function readPlace(
  words: string,
  directory: string,
): { readonly path: string; readonly lines: { readonly from: number; readonly to: number } | null } | null {
  const [, whole = "", first, last] = PLACE.exec(words.trim()) ?? [];
  const inside = whole.startsWith(`${directory}/`) ? whole.slice(directory.length + 1) : whole;
  const path = inside.replace(/^(?:\.\/+)+/, "");
  if (path === "" || path.startsWith("/") || path.startsWith("~") || path.split("/").includes("..")) return null;
  const from = Number(first ?? 0);
  const to = Number(last ?? from);
  return { path, lines: from < 1 ? null : { from: Math.min(from, to), to: Math.max(from, to) } };
}

/**
 * The same file for a reader whose paths start at the top of the repository: without the end of the directory that the
 * path begins with.
 */
export function readBelowDirectory(path: string, directory: string): string | null {
  const [names, steps] = [path.split("/"), directory.split("/").filter((step) => step !== "")];
  for (let count = Math.min(names.length - 1, steps.length); count > 0; count--)
    if (steps.slice(-count).every((step, index) => step === names[index])) return names.slice(count).join("/");
  return null;
}

function baseName(path: string): string {
  return splitPath(path).file || path;
}

export function isRecord(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The duration of the call itself, without the time it waited for the user. Null while unknown. */
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
