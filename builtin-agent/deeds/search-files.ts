import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isUnreadable, resolveInside } from "../files/resolve-inside.ts";
import { FILE_BYTES_MAX } from "../files/text-file.ts";
import { walkFiles } from "../files/walk-files.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";

const SEARCHED_FILES_MAX = 5_000;
const MATCHES_MAX = 100;
const LINE_CHARACTERS_MAX = 200;

export type Match = { readonly path: string; readonly file: string; readonly line: number; readonly text: string };

/** What was found, and the same as lines to read. */
type Found = { readonly matches: readonly Match[]; readonly truncated: boolean; readonly text: string };

/** Plain text, upper and lower case alike, in the files of the session's directory, as one tool call. */
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

/** Empty for files that are too big, or gone or closed to us by now. */
async function readSearchable(path: string): Promise<string> {
  try {
    return (await stat(path)).size > FILE_BYTES_MAX ? "" : await readFile(path, "utf8");
  } catch (error) {
    if (isUnreadable(error)) return "";
    throw error;
  }
}
