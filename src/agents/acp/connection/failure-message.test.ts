import { expect, test } from "bun:test";
import { failureMessage } from "./failure-message.ts";

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
