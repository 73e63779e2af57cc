import { expect, it } from "bun:test";
import { strictest, type Verdict } from "./policy.ts";

const verdict = (answer: Verdict["answer"]): Verdict => ({ answer, why: `its ${answer}` });
const ANSWERS = ["allow", "ask", "deny"] as const;
/** By the child's own verdict, then by its parent's: what holds. */
const HOLDS = {
  allow: { allow: "allow", ask: "ask", deny: "deny" },
  ask: { allow: "ask", ask: "ask", deny: "deny" },
  deny: { allow: "deny", ask: "deny", deny: "deny" },
} as const;

it("X-20 of two verdicts the stricter holds, and the child's own words where it is no laxer", () => {
  for (const own of ANSWERS)
    for (const parent of ANSWERS) {
      const { answer, why } = strictest([verdict(own), verdict(parent)]);
      expect([own, parent, answer]).toEqual([own, parent, HOLDS[own][parent]]);
      expect(why.includes("started this one")).toBe(HOLDS[own][parent] !== own);
    }
});

it("X-20 one no anywhere above is a no", () => {
  const verdicts = [verdict("allow"), verdict("ask"), verdict("deny"), verdict("allow")];
  expect(strictest(verdicts).answer).toBe("deny");
  expect(strictest([verdict("allow")])).toEqual(verdict("allow"));
});
