import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { KNOWN_QUIRKS } from "./known-quirks.ts";

/** A rule's id may precede it. */
const QUIRK_TITLE = /\(\s*"((?:[A-Z]+-\S+ )*quirk: [^"]+)"/g;
const root = resolve(import.meta.dirname, "../..");

interface Row {
  readonly quirk: string;
  readonly tests: readonly string[];
}

/** The rows of every table of quirks; the names of the tests stand between backticks in the last cell. */
function rowsOf(markdown: string): Row[] {
  return markdown.split("\n").flatMap((line) => {
    const cells = line.split("|").slice(1, -1);
    const quirk = cells[0]?.trim() ?? "";
    if (cells.length === 0 || quirk === "Quirk" || /^-+$/.test(quirk)) return [];
    return [{ quirk, tests: [...(cells.at(-1) ?? "").matchAll(/`([^`]+)`/g)].flatMap(([, name]) => name ?? []) }];
  });
}

/** A title given to `test` or `it`, or to what `each` made of them; a skipped one does not count. */
function isTitleIn(sources: readonly string[], name: string): boolean {
  const title = RegExp.escape(name);
  const call = new RegExp(`(?:\\b(?:test|it)(?:\\.concurrent)?|\\))\\(\\s*(["'\`])${title}\\1`);
  return sources.some((source) => source.includes(name) && call.test(source));
}

const quirks = rowsOf(readFileSync(join(root, "docs/agent-quirks.md"), "utf8"));
const paths = ["src/**/*.test.ts", "tests/**/*.test.ts", "builtin-agent/**/*.test.ts"].flatMap((pattern) => [
  ...new Glob(pattern).scanSync(root),
]);
const sources = paths.map((path) => readFileSync(join(root, path), "utf8"));

test("every quirk of agents that we know is proven by a test", () => {
  expect(quirks.length).toBeGreaterThan(0);
  expect(quirks.filter(({ tests }) => tests.length === 0).map(({ quirk }) => quirk)).toEqual([]);
});

test("every test that the table of quirks names exists", () => {
  const named = quirks.flatMap(({ tests }) => tests);
  expect(named.filter((name) => !isTitleIn(sources, name))).toEqual([]);
});

test("every quirk that is known has exactly one row, and every row is of a quirk that is known", () => {
  const rows = quirks.map(({ quirk }) => quirk);
  expect(rows.toSorted()).toEqual([...KNOWN_QUIRKS].sort());
  expect(new Set(KNOWN_QUIRKS).size).toBe(KNOWN_QUIRKS.length);
});

test("every test of a quirk is named in the table, in one row alone", () => {
  const titles = sources.flatMap((source) => [...source.matchAll(QUIRK_TITLE)].map(([, title]) => title));
  const named = new Set(quirks.flatMap(({ tests }) => tests));
  expect(titles.length).toBeGreaterThan(0);
  expect(titles.filter((title) => title === undefined || !named.has(title))).toEqual([]);
  const all = quirks.flatMap(({ tests }) => tests);
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
});

test("the check itself finds a row without a test, and tells titles from other text", () => {
  const table = "| Quirk | Test |\n|---|---|\n| one | `first`, `second` |\n| two | |\n";
  expect(rowsOf(table)).toEqual([
    { quirk: "one", tests: ["first", "second"] },
    { quirk: "two", tests: [] },
  ]);
  const source = ["it", '("real", 1); it.each([1])', '("of %s", 1); say("other"); test.skip', '("left out")'].join("");
  const found = ["real", "of %s", "other", "left out", "rea"].filter((name) => isTitleIn([source], name));
  expect(found).toEqual(["real", "of %s"]);
});
