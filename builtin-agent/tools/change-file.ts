import { askPermission } from "../turn/ask-permission.ts";
import { ToolCall } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";
import { readText, resolveInside, writeText } from "./file-access.ts";

/** The new text of a file, or why it stays unchanged. `oldText` is null for a missing file. */
export type Change = (oldText: string | null) => { readonly newText: string } | { readonly refused: string };

/** The result of a change. */
export type Changed =
  | { readonly outcome: "created" | "changed" }
  | { readonly outcome: "rejected" | "read-only" }
  | { readonly outcome: "moved" }
  | { readonly outcome: "refused"; readonly reason: string };

/** A file with its text before and after. */
type Edit = {
  readonly path: string;
  readonly shown: string;
  readonly oldText: string | null;
  readonly newText: string;
};

/** Changes one file: shows a diff and asks for permission first. */
export async function changeFile(
  turn: Turn,
  shown: string,
  change: Change,
  rawInput: Readonly<Record<string, unknown>>,
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

/** Replaces exactly one occurrence; an empty old text creates a missing file. */
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

/** Several replacements, one after the other: all of them or none, and every one that fails is named. */
export function replaceEach(shown: string, edits: readonly { readonly old: string; readonly new: string }[]): Change {
  return (oldText) => {
    if (oldText === null) return { refused: `There is no file ${shown}.` };
    let text = oldText;
    const problems: string[] = [];
    for (const [at, edit] of edits.entries()) {
      const change =
        edit.old === "" ? { refused: "say which text to replace." } : replaceOnce(shown, edit.old, edit.new)(text);
      if ("refused" in change) problems.push(`Edit ${at + 1} of ${edits.length}: ${change.refused}`);
      else text = change.newText;
    }
    return problems.length === 0
      ? { newText: text }
      : { refused: `${problems.join(" ")} Nothing in ${shown} was changed.` };
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

function announce(turn: Turn, edit: Edit, rawInput: Readonly<Record<string, unknown>>): ToolCall {
  return new ToolCall(turn, {
    title: `Edit ${edit.shown}`,
    name: "edit",
    kind: "edit",
    rawInput,
    locations: [{ path: edit.path, line: firstChangedLine(edit) }],
    content: [diff(edit)],
  });
}

/** The user may have taken a while, and other programs edit here, too. */
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
