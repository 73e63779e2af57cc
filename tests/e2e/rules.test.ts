import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { ROOT } from "../support/test-server.ts";

const RULE = /\bTC-[1-5]\.\d+[a-z]\b/g;
/** These are proven with real agents, whose own list says which rule is whose. */
const NAMED_ELSEWHERE = "tests/agents/real-agents.ts";

function rulesIn(files: readonly string[]): string[] {
  const text = files.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
  return [...new Set(text.match(RULE))].sort();
}

test("every rule of the page is proven in Chromium under its id, and every id there is a rule", () => {
  const browserTests = [...new Glob("tests/**/*.browser.test.ts").scanSync(ROOT)];
  expect(rulesIn([...browserTests, NAMED_ELSEWHERE])).toEqual(rulesIn(["docs/rules.md"]));
});
