import { describe, expect, it } from "bun:test";
import { matchesGlob } from "./path-glob.ts";

const matches = (glob: string, path: string) => matchesGlob(path, glob, { ignoreCase: false });

describe("X-4 patterns of paths", () => {
  it("a star stays inside one name and two stars cross folders", () => {
    for (const [glob, path] of [
      ["src/*.ts", "src/a.ts"],
      ["**/*.ts", "a.ts"],
      ["**/*.ts", "src/deep/a.ts"],
      ["src/**", "src"],
      ["src/**", "src/a/b"],
      ["a/**/b", "a/b"],
      ["a/**/b", "a/x/y/b"],
      ["a?c", "a😀c"],
      ["e\u0301", "é"],
    ] as const)
      expect({ glob, path, is: matches(glob, path) }).toEqual({ glob, path, is: true });
    for (const [glob, path] of [
      ["src/*", "src/a/b"],
      ["src/**", "srcs/a"],
      ["a/**/b", "ab"],
      ["a?b", "a/b"],
      ["**/x", "ax"],
      ["a.c", "abc"],
    ] as const)
      expect({ glob, path, is: matches(glob, path) }).toEqual({ glob, path, is: false });
  });

  it("cost is bounded by the lengths, without backtracking through all ways of matching", () => {
    const path = `${"a".repeat(2_000)}b`;
    expect(matches("*a".repeat(400), path)).toBe(false);
    expect(matches("**a".repeat(300), path)).toBe(false);
  });
});
