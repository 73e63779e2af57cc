import { expect, test } from "bun:test";
import { proveAgentRules, proveRules } from "../../scripts/test/prove-rules.ts";
import { ONE_FAILED, ONE_PASSED, type Tally } from "../../scripts/test/tally.ts";
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

async function prove(passed: Readonly<Record<string, readonly string[]>>): Promise<Tally> {
  await using dir = await project();
  return proveRules(dir.path, new Map(Object.entries(passed)));
}

test("rules and scenarios that tests proved pass", async () => {
  expect(await prove(WHOLE)).toEqual(ONE_PASSED);
});

test.each([
  ["a rule whose test did not run or did not pass", { ...WHOLE, unit: [] }],
  ["a rule of the page that only a test without a browser names", { ...WHOLE, browser: [], unit: ["TC-1.1a", "W-1"] }],
  ["a rule whose id is only the beginning of another", { ...WHOLE, unit: ["W-12 stays"] }],
  ["a scenario that no test plays", { ...WHOLE, integration: ["slow-starting"] }],
  ["a test of a rule that is not written down", { ...WHOLE, unit: ["W-1", "X-99"] }],
])("%s fails", async (_, passed) => {
  expect(await prove(passed)).toEqual(ONE_FAILED);
});

test("rules of real agents are asked for where those run", async () => {
  await using dir = await project();
  expect(proveAgentRules(dir.path, ["TC-2.2d"])).toEqual(ONE_PASSED);
  expect(proveAgentRules(dir.path, ["TC-2.2e"])).toEqual(ONE_FAILED);
});
