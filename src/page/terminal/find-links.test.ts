import { expect, it } from "bun:test";
import { findLinks } from "./find-links.ts";

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
