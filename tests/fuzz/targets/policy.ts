import { z } from "zod";
import { RuleDraft } from "../../../src/protocol/permission-policy.ts";
import { PermissionToolCall } from "../../../src/protocol/session-parts.ts";
import { evaluatePolicy } from "../../../src/sessions/policy/evaluate-policy.ts";
import { offerRules } from "../../../src/sessions/policy/offer-rules.ts";
import { describeRequest, type PermissionSubject } from "../../../src/sessions/policy/permission-subject.ts";
import type { Verdict } from "../../../src/sessions/policy/policy.ts";
import { readCommand, refuseRules } from "../../../src/sessions/policy/read-command.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { mutateText, someText } from "../engine/mutate-text.ts";
import type { Source } from "../engine/source.ts";
import { COMMAND_WORDS, ROOT, RULES, scoped, someFacts } from "./policy-words.ts";

const Mode = z.enum(["ask", "edits", "all"]);
const Input = z.object({
  tool: PermissionToolCall,
  mode: Mode,
  rules: z.array(RuleDraft).max(6),
  more: RuleDraft,
});
const KINDS = ["execute", "execute", "execute", "edit", "read", "delete", "fetch", "other"];
const STRICTNESS = { allow: 0, ask: 1, deny: 2 };

/** What a policy answers: denying always wins, doubt is asked, and no rule makes its opposite come true. */
export const policy = fuzzTarget({
  name: "policy",
  weight: 1,
  shape: Input,
  make: (source, corpus) => ({
    tool: corpus.length > 0 && source.isOneIn(4) ? changed(source, source.pick(corpus).tool) : someTool(source),
    mode: source.pick(["ask", "ask", "ask", "edits", "all"] as const),
    rules: source.list(0, 4, () => someRule(source)),
    more: someRule(source),
  }),
  check({ tool, mode, rules, more }) {
    const subject = describeRequest(tool, ROOT);
    const ask = (given: readonly RuleDraft[], by = mode) =>
      evaluatePolicy(subject, { mode: by, modeFrom: "session", rules: scoped(given) }, someFacts());
    const verdict = ask(rules);
    rule(verdict.why.length > 5, "every answer says why", () => verdict);
    ruleSame(ask(rules.toReversed()).answer, verdict.answer, "the order of rules means nothing");
    checkOneMore(verdict, ask([...rules, more]), more);
    if (verdict.answer === "deny") ruleSame(ask(rules, "all").answer, "deny", "denying wins over every mode");
    else rule(STRICTNESS[ask(rules, "all").answer] <= STRICTNESS[verdict.answer], "allowing everything asks no more");
    checkDoubt(subject, verdict, rules, mode);
    checkOffers(subject, (offered) => ask(offered, "ask"));
  },
});

/** One more rule moves the answer in its own direction only. */
function checkOneMore(before: Verdict, after: Verdict, more: RuleDraft): void {
  const [was, is] = [STRICTNESS[before.answer], STRICTNESS[after.answer]];
  if (more.effect === "deny") rule(is >= was, "a rule that denies allows nothing", () => ({ before, after }));
  else rule(is <= was, "a rule that allows denies nothing", () => ({ before, after }));
  if (before.answer === "deny")
    rule(after.answer === "deny", "denying wins over every rule", () => ({ before, after }));
}

/** What cannot be judged before it runs may only be allowed by the user, unless every command is. */
function checkDoubt(subject: PermissionSubject, verdict: Verdict, rules: readonly RuleDraft[], mode: string): void {
  if (mode === "all" || subject.command === null || verdict.answer !== "allow") return;
  if (rules.some(({ effect, kind, command }) => effect === "allow" && kind === "execute" && command === undefined))
    return;
  const { doubts, commands } = readCommand(subject);
  ruleSame(doubts, [], "what cannot be judged is asked");
  const words = commands.flatMap(({ command }) => [...command.words, ...command.redirects.map(({ target }) => target)]);
  rule(
    words.every(({ literal }) => literal),
    "a word that the shell fills in is asked",
    () => words,
  );
}

/** Rules offered to the user can be stored, state what they cover, and would have answered. */
function checkOffers(subject: PermissionSubject, ask: (rules: readonly RuleDraft[]) => Verdict): void {
  const offers = offerRules(subject);
  for (const offer of offers) ruleSame(RuleDraft.safeParse(offer).data, offer, "an offered rule is a rule");
  ruleSame(refuseRules(offers), null, "an offered rule can be kept");
  rule(offers.length === 0 || ask(offers).answer !== "deny", "an offered rule denies nothing");
}

function someRule(source: Source): RuleDraft {
  const known = source.pick(RULES);
  if (!source.isOneIn(4)) return known;
  const effect = source.pick(["allow", "deny"] as const);
  const text = someText(source, COMMAND_WORDS, 3);
  const about = source.isOneIn(2) ? { command: text } : { path: text };
  return RuleDraft.safeParse({ effect, ...about }).data ?? known;
}

function someTool(source: Source): PermissionToolCall {
  const kind = source.pick(KINDS);
  const text = someText(source, COMMAND_WORDS, 12);
  const path = source.pick(["src/a.ts", "secrets/key", "link/x", "../x", "/etc/passwd", ".git/config", text]);
  const input = source.isOneIn(8) ? { command: text.split(" ") } : kind === "execute" ? { command: text } : { path };
  const more = source.isOneIn(8) ? { cwd: path } : {};
  return {
    toolCallId: "call",
    name: source.isOneIn(8) ? text : "Tool",
    kind,
    input: { ...input, ...more },
    ...(kind !== "execute" && { locations: [{ path }] }),
  };
}

function changed(source: Source, tool: PermissionToolCall): PermissionToolCall {
  const input = tool.input;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return tool;
  const command = input["command"];
  if (typeof command !== "string") return tool;
  return { ...tool, input: { ...input, command: mutateText(source, command, COMMAND_WORDS) } };
}
