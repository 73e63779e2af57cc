import { expect, it } from "bun:test";
import { NOW, permissionId } from "../../tests/core/names.ts";
import type { PermissionOutcome } from "../protocol/session-parts.ts";
import { EndedQuestions } from "./session.ts";

function resolved(id: string, outcome: PermissionOutcome) {
  return { type: "permission:resolved", permissionId: permissionId(id), outcome } as const;
}

const options = [{ optionId: "yes", name: "Allow once", kind: "allow_once" }];
const pending = [{ permissionId: permissionId("p"), toolCall: { toolCallId: "t", name: "T" }, options, askedAt: NOW }];

it("W-8 tells in words how a question ended, and admits what it does not know", () => {
  const ended = new EndedQuestions();
  ended.note(resolved("p", { outcome: "selected", optionId: "yes" }), pending);
  ended.note(resolved("q", { outcome: "cancelled" }), []);
  ended.note({ type: "session:archived" }, pending);
  expect(["p", "q", "never"].map((id) => ended.endOf(permissionId(id)))).toEqual([
    'it was answered with "Allow once"',
    "it was cancelled",
    "it was answered or withdrawn before",
  ]);
});

it("remembers the latest ones only", () => {
  const ended = new EndedQuestions();
  for (let count = 0; count < 500; count += 1) ended.note(resolved(`${count}`, { outcome: "cancelled" }), []);
  expect(ended.endOf(permissionId("499"))).toBe("it was cancelled");
  expect(ended.endOf(permissionId("0"))).toBe("it was answered or withdrawn before");
});
