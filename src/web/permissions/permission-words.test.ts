import { expect, test } from "bun:test";
import { commandWords, permissionQuestion } from "./permission-words.ts";

test("the question says what will happen", () => {
  const ask = (more: object) => permissionQuestion({ toolCallId: "t", name: "x", ...more });
  expect(ask({ kind: "execute", input: { command: "ls" } })).toBe("Run this command?");
  expect(ask({ kind: "edit" })).toBe("Make this change?");
  expect(ask({ kind: "of-tomorrow" })).toBe("Allow this?");
});

test("a command is cut between its words and stays the same command", () => {
  const command = "docker  compose -f a.yml\nup --scale b=2";
  expect(commandWords(command)).toEqual(["docker  ", "compose ", "-f ", "a.yml\n", "up ", "--scale ", "b=2"]);
  expect(commandWords(command).join("")).toBe(command);
});
