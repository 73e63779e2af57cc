import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { RuleDraft } from "../../src/protocol/permission-policy.ts";
import { POLICY_CASES } from "./cases.ts";
import { type PolicyTree, policyTree } from "./policy-tree.ts";

let tree: PolicyTree;
beforeAll(async () => {
  tree = await policyTree();
});
afterAll(() => tree[Symbol.asyncDispose]());

describe("X-4 what a policy answers", () => {
  for (const { group, what, expected, ...asked } of POLICY_CASES)
    test(`X-4 ${group}: ${what}: ${expected}`, async () => {
      const { answer, why } = await tree.judge(asked);
      expect({ answer, isExplained: why.length > 5 }).toEqual({ answer: expected, isExplained: true });
    });

  test("X-4 a line without end is judged all the same, and never allowed", async () => {
    const rules = [
      { effect: "allow", command: "npm test" },
      { effect: "deny", command: "rm" },
      { effect: "deny", path: "secrets/**" },
    ] as const;
    for (const command of [
      `sudo ${"x ".repeat(9_000)}`,
      "(".repeat(15_000),
      "`".repeat(15_000),
      "$(".repeat(9_000),
      ">".repeat(19_000),
      `npm test ${"x".repeat(1_000_000)}`,
      "cd a;".repeat(3_000),
      `npm test "${'\\"'.repeat(300_000)}`,
    ]) {
      const { answer } = await tree.judge({ tool: { kind: "execute", input: { command } }, rules });
      expect(answer).toBe("ask");
    }
  });

  test("X-4 the rules of the table are rules a user can make", () => {
    const rules = POLICY_CASES.flatMap(({ rules = [] }) => rules);
    expect(rules.filter((rule) => !RuleDraft.safeParse(rule).success)).toEqual([]);
    expect(POLICY_CASES.length).toBeGreaterThan(150);
  });
});
