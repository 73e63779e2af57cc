import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reportLine, reportOutput } from "./report.ts";
import { ONE_FAILED, ONE_PASSED, type Tally } from "./tally.ts";

/** Full names of tests. */
export type TestsByEnd = {
  readonly passed: readonly string[];
  /** Tests whose requirements are not on this machine. */
  readonly leftOut: readonly string[];
};
/** By the parts that ran. */
export type TestsByPart = ReadonlyMap<string, TestsByEnd>;

const RULES_FILE = "docs/rules.md";
const SCENARIOS_FILE = "builtin-agent/scenarios/catalog.ts";
/** Rules below a heading with this name are proven by `npm run test:agents`. */
const REAL_AGENTS = "Real agents";
const RULE_ROW = /^\| ([A-Z]+-\d[\d.]*[a-z]?) \|/;
const RULE_ID = /\b(?:TC-\d+\.\d+[a-z]|(?:W|O|X|CV|NFR|WS|API|SC)-\d+)\b/g;

type Rule = { readonly id: string; readonly section: string };

/** Each rule of the page has to be proven in a browser, any other one anywhere. */
function partsThatProve(id: string): readonly string[] | undefined {
  return id.startsWith("TC-") ? ["browser"] : undefined;
}

/**
 * After a run of everything: each rule of docs/rules.md and each scenario of the built-in agent is named by a test that
 * ran and passed, and each rule that a test names is in docs/rules.md. Returns what is missing. A rule whose test was
 * left out is not missing if the test's name says why: "(skipped: openssh-server is not installed)".
 */
export async function unprovenRules(root: string, ran: TestsByPart): Promise<string[]> {
  if (!existsSync(join(root, RULES_FILE))) return [];
  const rules = readRules(root);
  const required = rules.filter(({ section }) => section !== REAL_AGENTS);
  const named = new Map(
    [...ran].map(([part, { passed, leftOut }]) => [
      part,
      new Set(idsIn([...passed, ...leftOut.filter((name) => name.includes("(skipped: "))])),
    ]),
  );
  const isProven = (id: string) =>
    (partsThatProve(id) ?? [...ran.keys()]).some((part) => named.get(part)?.has(id) ?? false);
  const known = new Set(rules.map(({ id }) => id));
  const names = [...ran.values()].flatMap(({ passed }) => passed);
  return [
    ...required.filter(({ id }) => !isProven(id)).map(({ id }) => `${id}: no test that proves this rule passed`),
    ...idsIn(names)
      .filter((id) => !known.has(id))
      .map((id) => `${id}: a test names this rule, ${RULES_FILE} does not have it`),
    ...(await scenarioNames(root))
      .filter((scenario) => !names.some((name) => name.split(/[^\w-]+/).includes(scenario)))
      .map((scenario) => `${scenario}: no test that plays this scenario passed`),
  ];
}

/** The same of the rules that only real agents can prove. */
export function unprovenAgentRules(root: string, passed: readonly string[]): string[] {
  const proven = new Set(idsIn(passed));
  const required = readRules(root).filter(({ section }) => section === REAL_AGENTS);
  return required.filter(({ id }) => !proven.has(id)).map(({ id }) => `${id}: no test that proves this rule passed`);
}

/** Prints the result of one of the two, and counts it. */
export function reportRules(problems: readonly string[]): Tally {
  reportLine(
    problems.length === 0 ? "ok" : "FAIL",
    "rules",
    problems.length === 0 ? "each has a test that passed" : "",
  );
  if (problems.length > 0) reportOutput(problems.join("\n"));
  return problems.length === 0 ? ONE_PASSED : ONE_FAILED;
}

function readRules(root: string): Rule[] {
  let section = "";
  return readFileSync(join(root, RULES_FILE), "utf8")
    .split("\n")
    .flatMap((line) => {
      section = /^## (.*)$/.exec(line)?.[1] ?? section;
      const id = RULE_ROW.exec(line)?.[1];
      return id === undefined ? [] : [{ id, section }];
    });
}

function idsIn(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => name.match(RULE_ID) ?? []))].sort();
}

async function scenarioNames(root: string): Promise<string[]> {
  const path = join(root, SCENARIOS_FILE);
  if (!existsSync(path)) return [];
  const { SCENARIOS }: { readonly SCENARIOS: readonly { readonly name: string }[] } = await import(path);
  return SCENARIOS.map(({ name }) => name);
}
