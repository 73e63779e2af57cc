import { LISTED_FILES_MAX, listFiles } from "../deeds/list-files.ts";
import type { Skill } from "./skill.ts";

const NAMED_FILES_MAX = 10;

/** The files of the session's directory. */
export const list: Skill = {
  name: "list",
  usage: "list",
  summary: "Lists the files of this directory (without .git and node_modules).",
  hint: "[directory]",
  accepts: (argument) => !/\s/.test(argument),
  async run(turn, argument) {
    const listed = await listFiles(turn, argument);
    if (listed.ok) {
      turn.say(summary(listed.files, listed.truncated, turn.isDetailed ? LISTED_FILES_MAX : NAMED_FILES_MAX));
    } else {
      turn.say(listed.outside ? `I did not look there: ${listed.reason}` : `I could not list \`${argument || "."}\`.`);
    }
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
