import { expect, test } from "bun:test";
import { failureMessage, withAdvice } from "./wire-message.ts";

test.each([
  ["Something broke", undefined, "Something broke"],
  ["Internal error", { details: "401 no such key" }, "Internal error: 401 no such key"],
  ["Internal error: no such key", { message: "no such key" }, "Internal error: no such key"],
  ['{"error":{"code":401,"message":"no such key","status":"UNAUTHENTICATED"}}', undefined, "no such key"],
  ["{not json", undefined, "{not json"],
  ['{"code":1}', undefined, '{"code":1}'],
])("%s reads as a person would say it", (message, data, told) => {
  expect(failureMessage(message, data)).toBe(told);
});

test("(B11) a refusal to start as root says what to do", () => {
  const details = "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons";
  const told = failureMessage("Internal error", { details });
  expect(told).toContain("Claude Code does not start as root unless IS_SANDBOX is 1");
  expect(withAdvice(told)).toBe(told);
});
