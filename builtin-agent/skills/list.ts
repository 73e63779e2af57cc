import { resolveInside } from "../files/resolve-inside.ts";
import { walkFiles } from "../files/walk-files.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Skill } from "./skill.ts";

const LISTED_FILES_MAX = 500;
const NAMED_FILES_MAX = 10;

/** The files of the session's directory. */
export const list: Skill = {
  name: "list",
  usage: "list",
  summary: "Lists the files of this directory (without .git and node_modules).",
  hint: "[directory]",
  accepts: (argument) => !/\s/.test(argument),
  async run(turn, argument) {
    const shown = argument === "" ? "." : argument;
    const place = resolveInside(turn.cwd, shown);
    const title = argument === "" ? "List files" : `List files in ${argument}`;
    const locations = place.ok ? [{ path: place.path }] : [];
    const tool = new ToolCall(turn, { title, name: "list", kind: "read", rawInput: { path: shown }, locations });
    if (!place.ok) {
      tool.fail(place.reason);
      return turn.say(`I did not look there: ${place.reason}`);
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
      return turn.say(`I could not list \`${shown}\`.`);
    }
    const truncated = files.length > LISTED_FILES_MAX;
    files.splice(LISTED_FILES_MAX);
    const rest = truncated ? [`… more than ${LISTED_FILES_MAX} files`] : [];
    tool.complete({
      content: [textContent([...files, ...rest].join("\n"))],
      rawOutput: { files: files.length, truncated },
    });
    turn.say(summary(files, truncated, turn.isDetailed ? LISTED_FILES_MAX : NAMED_FILES_MAX));
  },
};

function summary(files: readonly string[], truncated: boolean, named: number): string {
  if (files.length === 0) return "There are no files here yet.";
  const count = truncated
    ? `more than ${LISTED_FILES_MAX} files`
    : `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const rows = files.slice(0, named).map((file) => `- \`${file}\``);
  const more = files.length > named ? [`- … and ${files.length - named} more in the tool call above`] : [];
  return [`I see ${count}:`, "", ...rows, ...more].join("\n");
}
