import type { PermissionOption, PermissionToolCall } from "../../protocol/session-parts.ts";
import { commandOf } from "../transcript/tool-words.ts";

const QUESTION_OF_KIND: Readonly<Record<string, string>> = {
  read: "Read this?",
  edit: "Make this change?",
  delete: "Delete this?",
  move: "Move this?",
  search: "Search here?",
  execute: "Run this command?",
  fetch: "Fetch this?",
  switch_mode: "Go on in another mode?",
};

/** What the user is asked, in one short line. */
export function permissionQuestion(toolCall: PermissionToolCall): string {
  if (commandOf(toolCall) !== null) return "Run this command?";
  return QUESTION_OF_KIND[toolCall.kind ?? ""] ?? "Allow this?";
}

/** The option a plain yes or no means: the first of its kind, as the agent ordered them. */
export function firstOption(
  options: readonly PermissionOption[],
  kind: "allow" | "reject",
): PermissionOption | undefined {
  return options.find((option) => option.kind.startsWith(kind));
}

/** A command in words, so that a long one breaks between them and never inside a flag. */
export function commandWords(command: string): string[] {
  return command.split(/(?<=\s)(?=\S)/);
}
