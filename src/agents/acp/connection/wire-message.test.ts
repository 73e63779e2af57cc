import { expect, test } from "bun:test";
import { boundDepth } from "../../../sessions/bound-depth.ts";
import { asObject } from "../read-json.ts";
import { translateUpdate } from "../translate/translate-update.ts";
import { failureMessage, offsetOfRequest, parseMessage, requestIdAt, withAdvice } from "./wire-message.ts";

const abyss = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

test("an endlessly nested message is read as deep as it can be serialized", () => {
  const message = parseMessage(`{"id":${abyss(200_000)},"method":"m","params":{"text":"kept"}}`);
  expect(message?.["method"]).toBe("m");
  expect(asObject(message?.["params"])).toEqual({ text: "kept" });
  expect(JSON.stringify(message).length).toBeLessThan(10_000);
});

test("endlessly nested tool input and output are dropped, and the call is kept", () => {
  for (const levels of [150, 5_000, 200_000]) {
    const deep = `{"a":${abyss(levels)}}`;
    const line = `{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","rawInput":${deep},"rawOutput":{"output":"said","more":${deep}}}`;
    const update = parseMessage(line);
    if (update === null) throw new Error("not read");
    const [event] = translateUpdate(JSON.parse(JSON.stringify(update))).map(boundDepth);
    if (event?.type !== "tool") throw new Error("no tool call");
    const { name, result, input, output } = event.patch;
    expect({ name, result }).toEqual({ name: "T", result: "said" });
    expect(String(input)).toStartWith("[left out");
    expect(output === undefined || String(output).startsWith("[left out")).toBe(true);
  }
});

test.each([
  ["Something broke", undefined, "Something broke"],
  ["Internal error", { details: "401 no such key" }, "Internal error: 401 no such key"],
  ["Internal error: no such key", { message: "no such key" }, "Internal error: no such key"],
  ['{"error":{"code":401,"message":"no such key","status":"UNAUTHENTICATED"}}', undefined, "no such key"],
  ["{not json", undefined, "{not json"],
  ['{"code":1}', undefined, '{"code":1}'],
])("%s becomes a readable message", (message, data, told) => {
  expect(failureMessage(message, data)).toBe(told);
});

test("(B11) a refusal to start as root explains what to do", () => {
  const details = "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons";
  const told = failureMessage("Internal error", { details });
  expect(told).toContain("Claude Code refuses to run as root unless IS_SANDBOX is 1");
  expect(withAdvice(told)).toBe(told);
});

test("the id of a user request names its process and line, and is unknown to other processes", () => {
  const id = requestIdAt("process-1", 42);
  expect(offsetOfRequest("process-1", id)).toBe(42);
  for (const other of ["process", "process-12", "other"]) expect(offsetOfRequest(other, id)).toBeNull();
  expect(offsetOfRequest("process-1", "process-1-x")).toBeNull();
});
