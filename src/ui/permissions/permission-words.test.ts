import { expect, test } from "bun:test";
import { permissionQuestion } from "./permission-words.ts";

test("the question says what will happen", () => {
  const ask = (more: object) => permissionQuestion({ toolCallId: "t", name: "x", ...more });
  expect(ask({ kind: "execute", input: { command: "ls" } })).toBe("Run this command?");
  expect(ask({ kind: "execute", input: { command: "ls\r\nrm x\u2028" } })).toBe("Run this command of 2 lines?");
  expect(ask({ kind: "edit" })).toBe("Make this change?");
  expect(ask({ kind: "of-tomorrow" })).toBe("Allow this?");
});
