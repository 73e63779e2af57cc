import type { PermissionSubject } from "./permission-subject.ts";
import { readShellLine } from "./shell-line.ts";
import { type UnwrappedCommand, unwrapCommand } from "./unwrap-command.ts";

/** A command as far as it can be read: every program it runs, and what is uncertain about that. */
export interface ReadCommand {
  readonly commands: readonly UnwrappedCommand[];
  readonly doubts: readonly string[];
}

/** Reads what a request would run. Without a command of its own, the name of the call is all there is to look at. */
export function readCommand({ command, name, doubts }: PermissionSubject): ReadCommand {
  const line =
    command === null || typeof command === "string"
      ? readShellLine(command ?? name)
      : { commands: [{ words: command.map((text) => ({ text, literal: true })), redirects: [] }], doubts: [] };
  const unwrapped = line.commands.map((one) => unwrapCommand(one));
  return {
    commands: unwrapped.flatMap(({ commands }) => commands),
    doubts: [...new Set([...doubts, ...line.doubts, ...unwrapped.flatMap((one) => one.doubts)])],
  };
}

/** The words of a rule's command; null when they are not one plain command. */
export function ruleWordsOf(command: string): readonly string[] | null {
  const { commands, doubts } = readShellLine(command);
  const [only, another] = commands;
  if (doubts.length > 0 || only === undefined || another !== undefined || only.redirects.length > 0) return null;
  return only.words.every(({ literal }) => literal) ? only.words.map(({ text }) => text) : null;
}
