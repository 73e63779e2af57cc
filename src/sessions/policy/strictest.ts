import type { Verdict } from "./policy.ts";

/** From the strictest on. */
const STRICTNESS: readonly Verdict["answer"][] = ["deny", "ask", "allow"];

/** A session answers to its own policy and to those above it: one no is a no, and one question is a question. */
export function strictest([own, ...above]: readonly Verdict[]): Verdict {
  const rank = ({ answer }: Verdict) => STRICTNESS.indexOf(answer);
  const stricter = above.toSorted((one, other) => rank(one) - rank(other))[0];
  if (own === undefined) return { answer: "ask", why: "No policy holds here." };
  if (stricter === undefined || rank(stricter) >= rank(own)) return own;
  return { ...stricter, why: `${stricter.why} (of the session that started this one)` };
}
