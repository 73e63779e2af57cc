import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import type { Json } from "../../protocol/json.ts";
import { type RuleDraft, StartingPolicy } from "../../protocol/permission-policy.ts";
import type { PermissionSubject } from "./permission-subject.ts";
import { readShellLine, type SimpleCommand } from "./shell-line.ts";
import { type UnwrappedCommand, unwrapCommand } from "./unwrap-command.ts";

/** Each may fail or be skipped, so each doubles the directories in which the rest may run. */
export const DIRECTORY_CHANGES_MAX = 4;

/** A parsed command: every program it runs, and what is uncertain about it. */
export interface ReadCommand {
  readonly commands: readonly UnwrappedCommand[];
  readonly doubts: readonly string[];
}

/** Parses what a request would run. Without a command, only the name of the call is available. */
export function readCommand({ command, name, doubts }: PermissionSubject): ReadCommand {
  const line =
    command === null || typeof command === "string"
      ? readShellLine(command ?? name)
      : { commands: [{ words: command.map((text) => ({ text, literal: true })), redirects: [] }], doubts: [] };
  const unwrapped = line.commands.map((one) => unwrapCommand(one));
  const commands = unwrapped.flatMap((one) => one.commands);
  const found = [...doubts, ...line.doubts, ...unwrapped.flatMap((one) => one.doubts)];
  const changes = commands.filter(({ command }) => isChangeOfDirectory(command)).length;
  if (changes > DIRECTORY_CHANGES_MAX) found.push("it changes its directory too often");
  return { commands, doubts: [...new Set(found)] };
}

export function isChangeOfDirectory({ words }: SimpleCommand): boolean {
  return words[0]?.text === "cd" && words[0].literal;
}

/** The words of a rule's command; null if they are not one plain command. */
export function ruleWordsOf(command: string): readonly string[] | null {
  const { commands, doubts } = readShellLine(command);
  const [only, another] = commands;
  if (doubts.length > 0 || only === undefined || another !== undefined || only.redirects.length > 0) return null;
  return only.words.every(({ literal }) => literal) ? only.words.map(({ text }) => text) : null;
}

/** A rule with an unreadable command would never apply, so it is refused. */
export function refuseRules(rules: readonly RuleDraft[]): Refusal | null {
  const unreadable = rules.find(({ command }) => command !== undefined && ruleWordsOf(command) === null);
  if (!unreadable) return null;
  return REFUSE.invalidMessage(`rules: "${unreadable.command}" is not one plain command`);
}

/** Unknown `options.policy` of a new session must not be treated as the default. */
export function refuseStart(given: Json | undefined): Refusal | null {
  if (given === undefined) return null;
  const { data, error } = StartingPolicy.safeParse(given);
  if (error) return REFUSE.invalidMessage(`options.policy: ${error.issues[0]?.message ?? "not valid"}`);
  return typeof data === "string" ? null : refuseRules(data.rules ?? []);
}
