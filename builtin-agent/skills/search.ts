import { type Match, searchFiles } from "../deeds/search-files.ts";
import { isGiven, type Skill } from "./skill.ts";

/** Plain text, upper and lower case alike, in the files of the session's directory. */
export const search: Skill = {
  name: "search",
  usage: "search <text>",
  summary: "Looks for a text in the files of this directory.",
  hint: "<text>",
  accepts: isGiven,
  async run(turn, argument) {
    const found = await searchFiles(turn, argument);
    if (found) turn.say(summary(found.matches, found.truncated, argument));
  },
};

function summary(matches: readonly Match[], truncated: boolean, text: string): string {
  if (matches.length === 0) return `I found no "${text}" here.`;
  const files = new Set(matches.map((match) => match.file)).size;
  const count = `${truncated ? "more than " : ""}${matches.length} ${matches.length === 1 ? "match" : "matches"}`;
  return `I found ${count} in ${files} ${files === 1 ? "file" : "files"}.`;
}
