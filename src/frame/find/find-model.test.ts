import { describe, expect, test } from "bun:test";
import type { Entry } from "../../protocol/entry.ts";
import { EntryId } from "../../protocol/ids.ts";
import { deriveRows } from "../transcript/rows.ts";
import { FindModel } from "./find-model.ts";

const id = (text: string) => EntryId.parse(text);
const said = (name: string, content: string): Entry => ({
  type: "assistant",
  entryId: id(name),
  content,
  timestamp: "2026-01-01T00:00:00.000Z",
});
const rowsOf = (entries: readonly Entry[]) =>
  deriveRows({
    settled: entries,
    open: [],
    turn: { state: "idle" },
    pending: [],
    status: "connected",
    agentName: "Agent",
    asked: new Set(),
    undos: new Map(),
    branches: new Map(),
    hasMore: false,
  });

function find(entries: readonly Entry[], query: string, from: string | null = null): FindModel {
  const model = new FindModel();
  model.setRows(rowsOf(entries));
  model.setQuery(query);
  model.work(() => false);
  model.startAt(from === null ? null : id(from));
  return model;
}

describe("FindModel", () => {
  test("counts what is shown, not its source", () => {
    expect(find([said("a", "A **bold** word and [a bold link](https://bold.example)")], "bold").total).toBe(2);
    expect(find([said("a", "**two** words")], "two words").total).toBe(1);
    expect(find([said("a", "two\nwords")], "TWO   Words").total).toBe(1);
    expect(find([said("a", "end of one\n\nbegin of two")], "one begin").total).toBe(0);
  });

  test("takes every character literally", () => {
    expect(find([said("a", "`a.b(c)` and abbc)")], "a.b(c)").total).toBe(1);
    expect(find([said("a", "anything")], "   ").pattern).toBeNull();
  });

  test("starts at the reader's position and wraps around both ends", () => {
    const entries = [said("a", "x"), said("b", "x x"), said("c", "none"), said("d", "x")];
    const model = find(entries, "x", "c");
    expect([model.position, model.total]).toEqual([4, 4]);
    model.step(1);
    expect(model.current).toEqual({ entryId: id("a"), ordinal: 0 });
    model.step(-1);
    model.step(-1);
    expect([model.current, model.position]).toEqual([{ entryId: id("b"), ordinal: 1 }, 3]);
  });

  test("keeps the current match when older entries are added in front, and reads only new ones", () => {
    const newer = [said("m", "needle"), said("n", "needle")];
    const model = find(newer, "needle", "n");
    model.setRows(rowsOf([said("a", "needle"), said("b", "hay"), ...newer]));
    model.work(() => false);
    expect([model.current?.entryId, model.position, model.total]).toEqual([id("n"), 3, 3]);
  });

  test("reads in portions, and is done when all is read", () => {
    const model = new FindModel();
    model.setRows(rowsOf(Array.from({ length: 5 }, (_, index) => said(`e${index}`, "x"))));
    model.setQuery("x");
    const totals: number[] = [];
    while (!model.isDone) {
      model.work(() => true);
      totals.push(model.total);
    }
    expect(totals).toEqual([1, 2, 3, 4, 5]);
  });
});
