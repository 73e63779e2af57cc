import { COMMAND_CASES } from "./command-cases.ts";
import { EDIT_CASES, MODE_CASES } from "./mode-cases.ts";
import type { PolicyCase } from "./policy-case.ts";
import { DENIAL_CASES, RULE_CASES } from "./rule-cases.ts";

/** What a policy must answer; none of these may ever come out as more than what is expected. */
export const POLICY_CASES: readonly (PolicyCase & { readonly group: string })[] = Object.entries({
  modes: MODE_CASES,
  "edits mode": EDIT_CASES.map((one) => ({ ...one, mode: "edits" as const })),
  commands: COMMAND_CASES,
  rules: RULE_CASES,
  denials: DENIAL_CASES,
}).flatMap(([group, cases]) => cases.map((one) => ({ group, ...one })));
