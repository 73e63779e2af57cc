import { extname } from "node:path";
import { readFile } from "../deeds/read-file.ts";
import { isGiven, type Skill } from "./skill.ts";

const SHOWN_LINES_MAX = 40;

/** A file of the session's directory, whole in the tool call and its beginning in the answer. */
export const read: Skill = {
  name: "read",
  usage: "read <file>",
  summary: "Reads a file of this directory.",
  hint: "<file>",
  accepts: isGiven,
  async run(turn, argument) {
    const file = await readFile(turn, argument);
    if (!file.ok) {
      return turn.say(`${file.outside ? "I did not read it:" : "I could not read it."} ${file.reason}`);
    }
    const lines = file.text.replace(/\n$/, "").split("\n");
    turn.say(`\`${argument}\` has ${lines.length} ${lines.length === 1 ? "line" : "lines"}.`);
    if (turn.isDetailed) turn.say(`\n\n${fenced(lines.slice(0, SHOWN_LINES_MAX).join("\n"), argument)}`);
  },
};

/** A fence longer than any inside the text, so that a file cannot break out of it. */
function fenced(text: string, path: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${extname(path).slice(1)}\n${text}\n${fence}`;
}
