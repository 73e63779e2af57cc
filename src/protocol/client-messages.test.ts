import { describe, expect, test } from "bun:test";
import { ClientMessage } from "./client-messages.ts";
import { RuleDraft } from "./permission-policy.ts";

const isValid = (message: object) => ClientMessage.safeParse(message).success;

describe("texts of a message have a least and a greatest length", () => {
  const sessionId = "builtin:1";
  test.each([
    ["project:add", (path: string) => ({ type: "project:add", path })],
    ["session:rename", (title: string) => ({ type: "session:rename", sessionId, title })],
    ["session:create", (title: string) => ({ type: "session:create", projectId: "p", cliType: "builtin", title })],
    ["import:cancel", (importId: string) => ({ type: "import:cancel", importId })],
  ])("%s", (_, messageWith) => {
    expect([messageWith("x"), messageWith(""), messageWith("x".repeat(100_000))].map(isValid)).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("a title of spaces is an empty one", () => {
    expect(isValid({ type: "session:rename", sessionId, title: "   " })).toBe(false);
  });
});

test("X-4 only a command can be matched exactly", () => {
  expect(RuleDraft.safeParse({ effect: "allow", command: "npm test", exact: true }).success).toBe(true);
  const { error } = RuleDraft.safeParse({ effect: "allow", kind: "edit", exact: true });
  expect(error?.issues.map(({ message }) => message).join()).toContain("only a command can be matched exactly");
});
