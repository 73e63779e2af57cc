import { countLines } from "../../lib/visible-text.ts";
import { commandOf } from "../../protocol/command-of.ts";
import type { PendingPermission, PermissionOption, PermissionToolCall } from "../../protocol/session-parts.ts";
import { findShortcut, type KeyPress } from "../keys/shell-shortcut.ts";
import { IN_SESSION } from "../keys/shortcut-table.ts";

const QUESTION_OF_KIND: Readonly<Record<string, string>> = {
  read: "Read this?",
  edit: "Make this change?",
  delete: "Delete this?",
  move: "Move this?",
  search: "Run this search?",
  execute: "Run this command?",
  fetch: "Fetch this?",
  switch_mode: "Switch mode?",
};

/** The question to the user, in one short line. */
export function permissionQuestion(toolCall: PermissionToolCall): string {
  const command = commandOf(toolCall.input);
  if (command !== null) {
    const lines = countLines(command);
    return lines > 1 ? `Run this command of ${lines.toLocaleString("en")} lines?` : "Run this command?";
  }
  return QUESTION_OF_KIND[toolCall.kind ?? ""] ?? "Allow this?";
}

/** The option for a plain yes or no: the first of its kind, in the agent's order. */
export function firstOption(
  options: readonly PermissionOption[],
  kind: "allow" | "reject",
): PermissionOption | undefined {
  return options.find((option) => option.kind.startsWith(kind));
}

/** What is allowed, if only a part of it fits into view. */
export function wholeWords({ name, input }: PermissionToolCall): string {
  const lines = countLines(commandOf(input) ?? name);
  return lines > 1 ? `all ${lines.toLocaleString("en")} lines` : "all of it";
}

/** The option a key answers with, or null: A allows, D denies, and nothing else counts. */
export function permissionKey(press: KeyPress, { options }: Pick<PendingPermission, "options">): string | null {
  const wish = findShortcut(IN_SESSION, press);
  if (wish !== "allow" && wish !== "deny") return null;
  return firstOption(options, wish === "allow" ? "allow" : "reject")?.optionId ?? null;
}
