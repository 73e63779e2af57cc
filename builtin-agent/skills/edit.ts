import { resolveInside } from "../files/resolve-inside.ts";
import { readText, writeText } from "../files/text-file.ts";
import { askPermission } from "../turn/ask-permission.ts";
import { ToolCall } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";
import type { Skill } from "./skill.ts";

/** File, old text, new text; inside the quotes `\"`, `\\`, `\n` and `\t` are understood. */
const ARGUMENT = /^(?:"((?:[^"\\]|\\.)+)"|(\S+))\s+"((?:[^"\\]|\\.)*)"\s+"((?:[^"\\]|\\.)*)"$/s;
const ESCAPES: Record<string, string> = { n: "\n", t: "\t" };

type Edit = {
  readonly path: string;
  readonly shown: string;
  readonly before: string;
  readonly after: string;
  readonly oldText: string | null;
  readonly newText: string;
};

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
    const prepared = await prepare(turn, shown, unquote(before), unquote(after));
    if (typeof prepared === "string") return refuse(turn, shown, prepared);
    const tool = announce(turn, prepared);
    const permission = await askPermission(turn, tool, "edit");
    if (permission !== "allowed") {
      tool.fail(permission === "rejected" ? "Rejected." : "Edits are off in read-only mode.");
      return turn.say(permission === "rejected" ? "All right, I left it as it is." : "I am in read-only mode.");
    }
    tool.run();
    if (!(await isUnchanged(turn, prepared))) {
      tool.fail(`${shown} changed while I was asking.`);
      return turn.say(`\`${shown}\` changed while I was asking, so I left it alone.`);
    }
    await writeText(turn, prepared.path, prepared.newText);
    tool.complete({ content: [diff(prepared)], rawOutput: { characters: prepared.newText.length } });
    turn.say(prepared.oldText === null ? `I created \`${shown}\`.` : `I changed \`${shown}\`.`);
  },
};

/** The whole file before and after, or the reason there is nothing to do. */
async function prepare(turn: Turn, shown: string, before: string, after: string): Promise<Edit | string> {
  const place = resolveInside(turn.cwd, shown);
  if (!place.ok) return place.reason;
  const { path } = place;
  const asked = { path, shown, before, after };
  const file = await readText(turn, path, shown);
  if (!file.ok) return file.missing && before === "" ? { ...asked, oldText: null, newText: after } : file.reason;
  if (before === "") return `${shown} is already there; say which text to replace.`;
  const times = file.text.split(before).length - 1;
  if (times !== 1)
    return times === 0 ? `${shown} does not contain that text.` : `${shown} contains that text ${times} times.`;
  return { ...asked, oldText: file.text, newText: file.text.replace(before, () => after) };
}

function announce(turn: Turn, edit: Edit): ToolCall {
  return new ToolCall(turn, {
    title: `Edit ${edit.shown}`,
    name: "edit",
    kind: "edit",
    rawInput: { path: edit.shown, old: edit.before, new: edit.after },
    locations: [{ path: edit.path, line: firstChangedLine(edit) }],
    content: [diff(edit)],
  });
}

function refuse(turn: Turn, shown: string, reason: string): void {
  const tool = new ToolCall(turn, { title: `Edit ${shown}`, name: "edit", kind: "edit", rawInput: { path: shown } });
  tool.fail(reason);
  turn.say(`I changed nothing. ${reason}`);
}

/** The user may have taken a while, and others work here too. */
async function isUnchanged(turn: Turn, edit: Edit): Promise<boolean> {
  const file = await readText(turn, edit.path, edit.shown);
  return file.ok ? file.text === edit.oldText : file.missing && edit.oldText === null;
}

function diff({ path, oldText, newText }: Edit) {
  return { type: "diff" as const, path, oldText, newText };
}

function firstChangedLine({ oldText, newText }: Edit): number {
  const before = (oldText ?? "").split("\n");
  const index = newText.split("\n").findIndex((line, at) => line !== before[at]);
  return Math.max(0, index) + 1;
}

function unquote(text: string): string {
  return text.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);
}
