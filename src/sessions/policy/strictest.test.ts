import { expect, it } from "bun:test";
import { strictest, type Verdict } from "./policy.ts";

const verdict = (answer: Verdict["answer"]): Verdict => ({ answer, why: `its ${answer}` });
const ANSWERS = ["allow", "ask", "deny"] as const;
/** The result, by the child's own verdict and its parent's. */
const HOLDS = {
  allow: { allow: "allow", ask: "ask", deny: "deny" },
  ask: { allow: "ask", ask: "ask", deny: "deny" },
  deny: { allow: "deny", ask: "deny", deny: "deny" },
} as const;

it("X-20 the stricter of two verdicts applies, with the child's own reason if it is at least as strict", () => {
  for (const own of ANSWERS)
    for (const parent of ANSWERS) {
      const { answer, why } = strictest([verdict(own), verdict(parent)]);
      expect([own, parent, answer]).toEqual([own, parent, HOLDS[own][parent]]);
      expect(why.includes("started this one")).toBe(HOLDS[own][parent] !== own);
    }
});

it("X-20 one denial anywhere above denies", () => {
  const verdicts = [verdict("allow"), verdict("ask"), verdict("deny"), verdict("allow")];
  expect(strictest(verdicts).answer).toBe("deny");
  expect(strictest([verdict("allow")])).toEqual(verdict("allow"));
});
