import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isUnreadable, resolveInside } from "../files/resolve-inside.ts";
import { FILE_BYTES_MAX } from "../files/text-file.ts";
import { walkFiles } from "../files/walk-files.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";
import { isGiven, type Skill } from "./skill.ts";

const SEARCHED_FILES_MAX = 5_000;
const MATCHES_MAX = 100;
const LINE_CHARACTERS_MAX = 200;

type Match = { readonly path: string; readonly file: string; readonly line: number; readonly text: string };

/** Plain text, upper and lower case alike, in the files of the session's directory. */
export const search: Skill = {
  name: "search",
  usage: "search <text>",
  summary: "Looks for a text in the files of this directory.",
  hint: "<text>",
  accepts: isGiven,
  async run(turn, argument) {
    const tool = new ToolCall(turn, {
      title: `Search for "${argument}"`,
      name: "search",
      kind: "search",
      rawInput: { text: argument },
    });
    const place = resolveInside(turn.cwd, ".");
    if (!place.ok) return tool.fail(place.reason);
    tool.run();
    const { matches, truncated } = await findMatches(turn, place.path, argument.toLowerCase());
    const lines = matches.map(({ file, line, text }) => `${file}:${line}: ${text}`);
    if (truncated) lines.push("… there is more; I stopped at my limits");
    tool.complete({
      content: [textContent(lines.length === 0 ? "No match." : lines.join("\n"))],
      locations: matches.map(({ path, line }) => ({ path, line })),
      rawOutput: { matches: matches.length, truncated },
    });
    turn.say(summary(matches, truncated, argument));
  },
};

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

function summary(matches: readonly Match[], truncated: boolean, text: string): string {
  if (matches.length === 0) return `I found no "${text}" here.`;
  const files = new Set(matches.map((match) => match.file)).size;
  const count = `${truncated ? "more than " : ""}${matches.length} ${matches.length === 1 ? "match" : "matches"}`;
  return `I found ${count} in ${files} ${files === 1 ? "file" : "files"}.`;
}
