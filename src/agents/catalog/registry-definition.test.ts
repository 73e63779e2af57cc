import { expect, it } from "bun:test";
import { splitCommand } from "./registry-definition.ts";

it("splits at white space", () => {
  expect(splitCommand("  node  a.js\t--acp ")).toEqual(["node", "a.js", "--acp"]);
});

it("keeps quoted and escaped words together", () => {
  expect(splitCommand(`"/opt/my agent/run" 'a "b"' c\\ d ""`)).toEqual(["/opt/my agent/run", 'a "b"', "c d", ""]);
});

it("expands nothing and runs nothing", () => {
  expect(splitCommand("$HOME/x; rm `y` | z")).toEqual(["$HOME/x;", "rm", "`y`", "|", "z"]);
});
