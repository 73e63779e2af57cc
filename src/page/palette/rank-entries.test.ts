import { expect, test } from "bun:test";
import type { PaletteEntry } from "./palette-entries.ts";
import { rankEntries } from "./rank-entries.ts";

const entry = (id: string, group: PaletteEntry["group"], words: string, detail = ""): PaletteEntry => ({
  ...{ id, group, words, detail },
  icon: "search",
  act: () => undefined,
});
const ENTRIES: readonly PaletteEntry[] = [
  entry("s1", "Sessions", "Add jittered backoff to webhook retries", "atlas-api · Claude Code"),
  entry("s2", "Sessions", "Retry budget for the importer", "liminal-web · Codex"),
  entry("c1", "Commands", "Settings"),
  entry("c2", "Commands", "Archive", "Add jittered backoff"),
  entry("c3", "Commands", "Theme: light"),
];
const ids = (typed: string, recent: readonly string[] = []) =>
  rankEntries(ENTRIES, typed, recent).map(({ title, hits }) => [title, ...hits.map((hit) => hit.entry.id)]);

test("X-15 without input: sessions in order, then commands, recently used ones first", () => {
  expect(ids("")).toEqual([
    ["Sessions", "s1", "s2"],
    ["Commands", "c1", "c2", "c3"],
  ]);
  expect(ids("  ", ["c3", "gone", "c2"])[1]).toEqual(["Commands", "c3", "c2", "c1"]);
});

test("X-15 letters match titles, projects and agents, not only whole words", () => {
  expect(ids("retr")[0]).toEqual(["Sessions", "s2", "s1"]);
  expect(ids("codex")[0]).toEqual(["Sessions", "s2"]);
  expect(ids("atlas")[0]).toEqual(["Sessions", "s1"]);
  expect(ids("setings")).toEqual([["Commands", "c1"]]);
  expect(ids("zzzz")).toEqual([]);
});

test("X-15 recent choices come before equal matches", () => {
  expect(ids("retr", ["s1"])[0]).toEqual(["Sessions", "s1", "s2"]);
});

test("X-15 > leaves only commands", () => {
  expect(ids(">")).toEqual([["Commands", "c1", "c2", "c3"]]);
  expect(ids("> theme")).toEqual([["Commands", "c3"]]);
});

test("X-15 the matched letters are reported", () => {
  const [group] = rankEntries(ENTRIES, "theme", []);
  expect(group?.hits[0]?.indexes).toEqual([0, 1, 2, 3, 4]);
});
