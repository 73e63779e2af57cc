import { expect, it } from "bun:test";
import { CliType, CommandId, cliTypeOf, SessionId } from "./ids.ts";

it("a session's agent is the part before the first colon", () => {
  expect(cliTypeOf(SessionId.parse("claude-code:abc:def"))).toBe(CliType.parse("claude-code"));
});

it.each(["builtin:1", "a:b", "claude-code:x:y", "codex:with space"])("%s is a session id", (id) => {
  expect(SessionId.safeParse(id).success).toBe(true);
});

it.each(["", "builtin", "builtin:", ":1", "Builtin:1", "1a:1", "../x:1", `a:${"x".repeat(200)}`])(
  "%s is not a session id",
  (id) => {
    expect(SessionId.safeParse(id).success).toBe(false);
  },
);

it("a command id is any text from 1 to 64 characters", () => {
  expect(["", "x", "x".repeat(64), "x".repeat(65)].map((id) => CommandId.safeParse(id).success)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
