import { expect, test } from "bun:test";
import { unprovenAgentRules, unprovenRules } from "../../scripts/test/prove-rules.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { writeTree } from "./sample-package.ts";

const RULES = `# Rules

## The page
| rule | what it says |
|---|---|
| TC-1.1a | is shown |

## Real agents
| TC-2.2d | works with the real one |

## Everything else
| W-1 | stays |
`;
const WHOLE = { unit: ["W-1 stays"], integration: ["quiet > slow-start: waits"], browser: ["TC-1.1a is shown"] };

async function project(): Promise<TempDir> {
  const dir = await tempDir();
  await writeTree(dir.path, {
    "docs/rules.md": RULES,
    "builtin-agent/scenarios/catalog.ts": 'export const SCENARIOS = [{ name: "slow-start" }];',
  });
  return dir;
}

async function unproven(
  passed: Readonly<Record<string, readonly string[]>>,
  leftOut: readonly string[] = [],
): Promise<string[]> {
  await using dir = await project();
  return await unprovenRules(
    dir.path,
    new Map(Object.entries(passed).map(([part, names]) => [part, { passed: names, leftOut }])),
  );
}

test("rules and scenarios that tests proved pass", async () => {
  expect(await unproven(WHOLE)).toEqual([]);
});

test("a rule whose test was left out passes only if the test's name has the reason", async () => {
  const without = { ...WHOLE, unit: [] };
  expect(await unproven(without, ["W-1 stays (skipped: no server is installed)"])).toEqual([]);
  expect(await unproven(without, ["W-1 stays"])).toEqual(["W-1: no test that proves this rule passed"]);
});

test.each([
  [
    "a rule whose test did not run or did not pass",
    { ...WHOLE, unit: [] },
    ["W-1: no test that proves this rule passed"],
  ],
  [
    "a rule of the page that only a test without a browser names",
    { ...WHOLE, browser: [], unit: ["TC-1.1a", "W-1"] },
    ["TC-1.1a: no test that proves this rule passed"],
  ],
  [
    "a rule whose id is only the beginning of another",
    { ...WHOLE, unit: ["W-12 stays"] },
    ["W-1: no test that proves this rule passed", "W-12: a test names this rule, docs/rules.md does not have it"],
  ],
  [
    "a scenario that no test plays",
    { ...WHOLE, integration: ["slow-starting"] },
    ["slow-start: no test that plays this scenario passed"],
  ],
  [
    "a test of a rule that is not written down",
    { ...WHOLE, unit: ["W-1", "X-99"] },
    ["X-99: a test names this rule, docs/rules.md does not have it"],
  ],
])("%s is missing", async (_, passed, missing) => {
  expect(await unproven(passed)).toEqual(missing);
});

test("rules of real agents are asked for where those run", async () => {
  await using dir = await project();
  expect(unprovenAgentRules(dir.path, ["TC-2.2d"])).toEqual([]);
  expect(unprovenAgentRules(dir.path, ["TC-2.2e"])).toEqual(["TC-2.2d: no test that proves this rule passed"]);
});
