import { expect, it } from "bun:test";
import { findLinks, findPaths, quoteOutput } from "./terminal-text.ts";

it.each([
  ["Visit https://a.example/x?y=1&z=2 now.", ["https://a.example/x?y=1&z=2"]],
  ["(see http://localhost:1455/cb).", ["http://localhost:1455/cb"]],
  ["https://a.example, https://b.example/path.", ["https://a.example", "https://b.example/path"]],
  ["javascript:alert(1) file:///etc/passwd ftp://x", []],
])("finds the addresses in %p", (text, urls) => {
  const found = findLinks(text);
  expect(found.map(({ url }) => url)).toEqual(urls);
  expect(found.map(({ from, to }) => text.slice(from, to))).toEqual(urls);
});

it.each([
  ["at headerOf (packages/core/src/retry-after.ts:20:32)", ["packages/core/src/retry-after.ts:20:32"]],
  ["error in ./src/a.ts, see docs/b.md.", ["./src/a.ts", "docs/b.md"]],
  ["main.go:7: undefined: x", ["main.go:7"]],
  ["and/or, 1.5/2, v1.2.3, example.com, https://a.example/src/a.ts:3", []],
])("finds the paths in %p", (text, paths) => {
  const found = findPaths(text);
  expect(found.map(({ url }) => url)).toEqual(paths);
  expect(found.map(({ from, to }) => text.slice(from, to))).toEqual(paths);
});

it("quotes output in a fence that the output cannot close, without the spaces that fill a screen", () => {
  expect(quoteOutput("$ ls   \na.ts\n\n")).toBe("```\n$ ls\na.ts\n```\n");
  expect(quoteOutput("```js\nx\n````")).toBe("`````\n```js\nx\n````\n`````\n");
});

it("quotes the end of very long output", () => {
  const quoted = quoteOutput(`start\n${"x".repeat(20_000)}\nend`);
  expect(quoted.length).toBeLessThan(8_100);
  expect(quoted).toStartWith("```\n…x");
  expect(quoted).toEndWith("\nend\n```\n");
});
