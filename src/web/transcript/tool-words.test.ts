import { expect, test } from "bun:test";
import { commandOf, toolIcon, toolLine } from "./tool-words.ts";

test("the exact command is found, whether as a line, a list or inside a shell", () => {
  expect(commandOf({ name: "x", input: { command: "bun test" } })).toBe("bun test");
  expect(commandOf({ name: "x", input: { command: ["git", "status"] } })).toBe("git status");
  expect(commandOf({ name: "x", input: { command: ["/bin/bash", "-lc", "ls | wc -l"] } })).toBe("ls | wc -l");
  expect(commandOf({ name: "x", input: { path: "a.ts" } })).toBeNull();
  expect(commandOf({ name: "x" })).toBeNull();
});

test("[TC-3.3a] a line says the name and what it is about, and neither twice", () => {
  const run = { name: "`bun test`", kind: "execute", input: { command: "bun test" } };
  expect(toolLine(run)).toEqual({ name: "Run", target: "bun test" });
  expect(toolLine({ ...run, name: "Run the tests" })).toEqual({ name: "Run the tests", target: "bun test" });
  expect(toolLine({ name: "Read src/a.ts", kind: "read", locations: [{ path: "/w/src/a.ts" }] })).toEqual({
    name: "Read",
    target: "src/a.ts",
  });
  expect(toolLine({ name: "Fetch", kind: "fetch", input: { url: "example.com" } })).toEqual({
    name: "Fetch",
    target: "example.com",
  });
  expect(toolLine({ name: 'Search for "x"', kind: "search", input: { text: "x" } }).target).toBe("");
});

test("a kind we do not know still has an icon", () => {
  expect([toolIcon("execute"), toolIcon("new_kind"), toolIcon(undefined)]).toEqual(["terminal", "bolt", "bolt"]);
});
