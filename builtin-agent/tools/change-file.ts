import { askPermission } from "../turn/ask-permission.ts";
import { ToolCall } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";
import { readText, resolveInside, writeText } from "./file-access.ts";

/** The text a file is to have, or why it is left as it is. `oldText` is null for a file that is not there. */
export type Change = (oldText: string | null) => { readonly newText: string } | { readonly refused: string };

/** What came of it. */
export type Changed =
  | { readonly outcome: "created" | "changed" }
  | { readonly outcome: "rejected" | "read-only" }
  | { readonly outcome: "moved" }
  | { readonly outcome: "refused"; readonly reason: string };

/** A file and the two texts it has before and after. */
type Edit = {
  readonly path: string;
  readonly shown: string;
  readonly oldText: string | null;
  readonly newText: string;
};

/** One change of a file, shown as a diff and asked about before it is made. */
export async function changeFile(
  turn: Turn,
  shown: string,
  change: Change,
  rawInput: Readonly<Record<string, string>>,
): Promise<Changed> {
  const prepared = await prepare(turn, shown, change);
  if (typeof prepared === "string") {
    const start = { title: `Edit ${shown}`, name: "edit", kind: "edit", rawInput: { path: shown } } as const;
    new ToolCall(turn, start).fail(prepared);
    return { outcome: "refused", reason: prepared };
  }
  const tool = announce(turn, prepared, rawInput);
  const permission = await askPermission(turn, tool, "edit");
  if (permission !== "allowed") {
    tool.fail(permission === "rejected" ? "Rejected." : "Edits are off in read-only mode.");
    return { outcome: permission === "rejected" ? "rejected" : "read-only" };
  }
  tool.run();
  if (!(await isUnchanged(turn, prepared))) {
    tool.fail(`${shown} changed while I was asking.`);
    return { outcome: "moved" };
  }
  await writeText(turn, prepared.path, prepared.newText);
  tool.complete({ content: [diff(prepared)], rawOutput: { characters: prepared.newText.length } });
  return { outcome: prepared.oldText === null ? "created" : "changed" };
}

/** One exact place in the text; an empty text to replace makes a file that is not there yet. */
export function replaceOnce(shown: string, before: string, after: string): Change {
  return (oldText) => {
    if (oldText === null) return before === "" ? { newText: after } : { refused: `There is no file ${shown}.` };
    if (before === "") return { refused: `${shown} is already there; say which text to replace.` };
    const times = oldText.split(before).length - 1;
    if (times === 1) return { newText: oldText.replace(before, () => after) };
    return {
      refused: times === 0 ? `${shown} does not contain that text.` : `${shown} contains that text ${times} times.`,
    };
  };
}

/** The whole file before and after, or the reason there is nothing to do. */
async function prepare(turn: Turn, shown: string, change: Change): Promise<Edit | string> {
  const place = resolveInside(turn.cwd, shown);
  if (!place.ok) return place.reason;
  const { path } = place;
  const file = await readText(turn, path, shown);
  if (!file.ok && !file.missing) return file.reason;
  const oldText = file.ok ? file.text : null;
  const changed = change(oldText);
  return "refused" in changed ? changed.refused : { path, shown, oldText, newText: changed.newText };
}

function announce(turn: Turn, edit: Edit, rawInput: Readonly<Record<string, string>>): ToolCall {
  return new ToolCall(turn, {
    title: `Edit ${edit.shown}`,
    name: "edit",
    kind: "edit",
    rawInput,
    locations: [{ path: edit.path, line: firstChangedLine(edit) }],
    content: [diff(edit)],
  });
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
