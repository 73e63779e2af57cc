import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import type { Json } from "../../protocol/json.ts";
import { type RuleDraft, StartingPolicy } from "../../protocol/permission-policy.ts";
import { ruleWordsOf } from "./read-command.ts";

/** A rule whose command no one can read would never answer anything; better to say so now. */
export function refuseRules(rules: readonly RuleDraft[]): Refusal | null {
  const unreadable = rules.find(({ command }) => command !== undefined && ruleWordsOf(command) === null);
  if (!unreadable) return null;
  return REFUSE.invalidMessage(`rules: "${unreadable.command}" is not one plain command`);
}

/** `options.policy` of a new session that says nothing we know must not be taken for the default. */
export function refuseStart(given: Json | undefined): Refusal | null {
  if (given === undefined) return null;
  const { data, error } = StartingPolicy.safeParse(given);
  if (error) return REFUSE.invalidMessage(`options.policy: ${error.issues[0]?.message ?? "not valid"}`);
  return typeof data === "string" ? null : refuseRules(data.rules ?? []);
}
