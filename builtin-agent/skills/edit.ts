import { changeFile, replaceOnce } from "../deeds/change-file.ts";
import type { Skill } from "./skill.ts";

/** File, old text, new text; inside the quotes `\"`, `\\`, `\n` and `\t` are understood. */
const ARGUMENT = /^(?:"((?:[^"\\]|\\.)+)"|(\S+))\s+"((?:[^"\\]|\\.)*)"\s+"((?:[^"\\]|\\.)*)"$/s;
const ESCAPES: Record<string, string> = { n: "\n", t: "\t" };

/** One exact replacement, shown as a diff before it is made; an empty old text creates a file. */
export const edit: Skill = {
  name: "edit",
  usage: 'edit <file> "<old>" "<new>"',
  summary: "Replaces a text in a file, after showing you the diff.",
  hint: '<file> "<old>" "<new>"',
  accepts: (argument) => ARGUMENT.test(argument),
  async run(turn, argument) {
    const [, quoted, bare, before = "", after = ""] = ARGUMENT.exec(argument) ?? [];
    const shown = quoted === undefined ? (bare ?? "") : unquote(quoted);
    const rawInput = { path: shown, old: unquote(before), new: unquote(after) };
    const changed = await changeFile(turn, shown, replaceOnce(shown, rawInput.old, rawInput.new), rawInput);
    switch (changed.outcome) {
      case "created":
        return turn.say(`I created \`${shown}\`.`);
      case "changed":
        return turn.say(`I changed \`${shown}\`.`);
      case "rejected":
        return turn.say("All right, I left it as it is.");
      case "read-only":
        return turn.say("I am in read-only mode.");
      case "moved":
        return turn.say(`\`${shown}\` changed while I was asking, so I left it alone.`);
      case "refused":
        return turn.say(`I changed nothing. ${changed.reason}`);
      default:
        return changed satisfies never;
    }
  },
};

function unquote(text: string): string {
  return text.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);
}
