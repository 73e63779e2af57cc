import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";
import { FILE_BYTES_MAX, isUnreadable, readText, resolveInside, walkFiles } from "./file-access.ts";

export const LISTED_FILES_MAX = 500;

/** The listed files, or why there are none. */
type Listed =
  | { readonly ok: true; readonly files: readonly string[]; readonly truncated: boolean; readonly text: string }
  | { readonly ok: false; readonly outside: boolean; readonly reason: string };

/** Lists the files of a directory inside the session's, as one tool call. */
export async function listFiles(turn: Turn, directory: string): Promise<Listed> {
  const shown = directory === "" ? "." : directory;
  const place = resolveInside(turn.cwd, shown);
  const title = directory === "" ? "List files" : `List files in ${directory}`;
  const locations = place.ok ? [{ path: place.path }] : [];
  const tool = new ToolCall(turn, { title, name: "list", kind: "read", rawInput: { path: shown }, locations });
  if (!place.ok) {
    tool.fail(place.reason);
    return { ok: false, outside: true, reason: place.reason };
  }
  tool.run();
  const files: string[] = [];
  try {
    for await (const file of walkFiles(place.path)) {
      turn.signal.throwIfAborted();
      files.push(file);
      if (files.length > LISTED_FILES_MAX) break;
    }
  } catch (error) {
    turn.signal.throwIfAborted();
    tool.fail(String(error));
    return { ok: false, outside: false, reason: String(error) };
  }
  const truncated = files.length > LISTED_FILES_MAX;
  files.splice(LISTED_FILES_MAX);
  const rest = truncated ? [`… more than ${LISTED_FILES_MAX} files`] : [];
  const text = [...files, ...rest].join("\n");
  tool.complete({ content: [textContent(text)], rawOutput: { files: files.length, truncated } });
  return { ok: true, files, truncated, text };
}

/** The whole text, or why it cannot be read. */
type Read =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly outside: boolean; readonly reason: string };

/** Reads a text file inside the session's directory, as one tool call. */
export async function readTextFile(turn: Turn, shown: string): Promise<Read> {
  const place = resolveInside(turn.cwd, shown);
  const tool = new ToolCall(turn, {
    title: `Read ${shown}`,
    name: "read",
    kind: "read",
    rawInput: { path: shown },
    locations: place.ok ? [{ path: place.path }] : [],
  });
  if (!place.ok) {
    tool.fail(place.reason);
    return { ok: false, outside: true, reason: place.reason };
  }
  tool.run();
  const file = await readText(turn, place.path, shown);
  if (!file.ok) {
    tool.fail(file.reason);
    return { ok: false, outside: false, reason: file.reason };
  }
  tool.complete({ content: [textContent(file.text)], rawOutput: { characters: file.text.length } });
  return file;
}

const SEARCHED_FILES_MAX = 5_000;
const MATCHES_MAX = 100;
const LINE_CHARACTERS_MAX = 200;

export type Match = { readonly path: string; readonly file: string; readonly line: number; readonly text: string };

/** The matches, and the same as lines of text. */
type Found = { readonly matches: readonly Match[]; readonly truncated: boolean; readonly text: string };

/** Searches plain text, ignoring case, in the files of the session's directory, as one tool call. */
export async function searchFiles(turn: Turn, text: string): Promise<Found | undefined> {
  const tool = new ToolCall(turn, {
    title: `Search for "${text}"`,
    name: "search",
    kind: "search",
    rawInput: { text },
  });
  const place = resolveInside(turn.cwd, ".");
  if (!place.ok) return void tool.fail(place.reason);
  tool.run();
  const { matches, truncated } = await findMatches(turn, place.path, text.toLowerCase());
  const lines = matches.map((match) => `${match.file}:${match.line}: ${match.text}`);
  if (truncated) lines.push("… there is more; I stopped at my limits");
  const found = lines.length === 0 ? "No match." : lines.join("\n");
  tool.complete({
    content: [textContent(found)],
    locations: matches.map(({ path, line }) => ({ path, line })),
    rawOutput: { matches: matches.length, truncated },
  });
  return { matches, truncated, text: found };
}

async function findMatches(turn: Turn, root: string, text: string): Promise<{ matches: Match[]; truncated: boolean }> {
  const matches: Match[] = [];
  let searched = 0;
  for await (const file of walkFiles(root)) {
    turn.signal.throwIfAborted();
    searched += 1;
    if (searched > SEARCHED_FILES_MAX) return { matches, truncated: true };
    for (const match of await matchesIn(join(root, file), file, text)) {
      if (matches.length === MATCHES_MAX) return { matches, truncated: true };
      matches.push(match);
    }
  }
  return { matches, truncated: false };
}

async function matchesIn(path: string, file: string, text: string): Promise<Match[]> {
  const content = await readSearchable(path);
  if (content.includes("\0")) return [];
  return content.split("\n").flatMap((line, index) => {
    if (!line.toLowerCase().includes(text)) return [];
    return [{ path, file, line: index + 1, text: line.trim().slice(0, LINE_CHARACTERS_MAX) }];
  });
}

/** Empty for files that are too large, missing or not accessible. */
async function readSearchable(path: string): Promise<string> {
  try {
    return (await stat(path)).size > FILE_BYTES_MAX ? "" : await readFile(path, "utf8");
  } catch (error) {
    if (isUnreadable(error)) return "";
    throw error;
  }
}
