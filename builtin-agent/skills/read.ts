import { extname } from "node:path";
import { resolveInside } from "../files/resolve-inside.ts";
import { readText } from "../files/text-file.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
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
    const place = resolveInside(turn.cwd, argument);
    const tool = new ToolCall(turn, {
      title: `Read ${argument}`,
      name: "read",
      kind: "read",
      rawInput: { path: argument },
      locations: place.ok ? [{ path: place.path }] : [],
    });
    if (!place.ok) {
      tool.fail(place.reason);
      return turn.say(`I did not read it: ${place.reason}`);
    }
    tool.run();
    const file = await readText(turn, place.path, argument);
    if (!file.ok) {
      tool.fail(file.reason);
      return turn.say(`I could not read it. ${file.reason}`);
    }
    const lines = file.text.replace(/\n$/, "").split("\n");
    tool.complete({ content: [textContent(file.text)], rawOutput: { characters: file.text.length } });
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
