import { expect, it } from "bun:test";
import { SessionRow } from "../../protocol/session-schema.ts";
import { filteredRows, labelsOf, NO_FILTER, type SessionFilter } from "./session-filter.ts";
import { groupRows } from "./session-rows.ts";

const row = (name: string, fields: Partial<SessionRow> = {}) =>
  SessionRow.parse({
    ...{ id: `builtin:${name}`, projectId: "p", title: name, cliType: "builtin", archived: false },
    ...{ turn: { state: "idle" }, createdAt: "", lastActiveAt: "", ...fields },
  });
const ROWS = new Map(
  [
    row("Fix the login", { labels: ["Bug", "later"], unread: true }),
    row("Read the docs", { labels: ["later"], pinned: true }),
    row("Upgrade", { turn: { state: "idle", stopReason: "error" } }),
    row("Old failure", { turn: { state: "idle", stopReason: "error" }, dismissed: true }),
    row("Runs", { turn: { state: "stalled" } }),
  ].map((one) => [one.id, one]),
);
const listed = (filter: Partial<SessionFilter>) =>
  [...filteredRows(ROWS, { ...NO_FILTER, ...filter }).values()].map(({ title }) => title);

it.each([
  [{ text: " LOGIN " }, ["Fix the login"]],
  [{ text: "bug" }, ["Fix the login"]],
  [{ labels: ["LATER"] }, ["Fix the login", "Read the docs"]],
  [{ labels: ["later", "bug"] }, ["Fix the login"]],
  [{ states: ["pinned", "unread"] }, ["Fix the login", "Read the docs"]],
  [{ states: ["failed"] }, ["Upgrade"]],
  [{ states: ["working"] }, ["Runs"]],
  [{ text: "the", labels: ["later"], states: ["pinned"] }, ["Read the docs"]],
  [{ text: "nowhere" }, []],
] as const)("[X-40] the filter %j lists %j", (filter, titles) => {
  expect(listed(filter)).toEqual([...titles]);
});

it("[X-40] without a filter the rows are the same object, so nothing is drawn again", () => {
  expect(filteredRows(ROWS, { ...NO_FILTER, isOpen: true, text: "  " })).toBe(ROWS);
});

it("[X-40] every label in use is offered once, by the alphabet", () => {
  expect(labelsOf([...ROWS.values(), row("again", { labels: ["BUG", "alpha"] })])).toEqual(["alpha", "Bug", "later"]);
});

it("[X-40] pinned sessions are above newer ones of their project", () => {
  const rows = [row("new", { lastActiveAt: "2" }), row("old", { lastActiveAt: "1", pinned: true })];
  const [group] = groupRows(new Map(rows.map((one) => [one.id, one])), new Map()).values();
  expect(group?.map(({ title }) => title)).toEqual(["old", "new"]);
});
