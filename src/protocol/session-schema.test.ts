import { expect, it } from "bun:test";
import { BUILTIN, NOW, PROJECT, SESSION } from "../../tests/core/names.ts";
import {
  EMPTY_SESSION,
  newSessionRow,
  SessionFields,
  SessionRow,
  sessionFieldsOf,
  stateFromRow,
} from "./session-schema.ts";

/** Fields that snapshots and servers of earlier versions lack. */
const LATER: ReadonlySet<string> = new Set([
  "visits",
  "waits",
  "changes",
  "agentNotes",
  "toldNotes",
  "subAgentCalls",
  "worktree",
  "pause",
  "away",
  "primer",
  "pinned",
  "labels",
  "dismissed",
]);
const FIELDS = Object.entries(sessionFieldsOf(EMPTY_SESSION));

it("fields that earlier versions lack are read with their initial value", () => {
  const earlier = Object.fromEntries(FIELDS.filter(([name]) => !LATER.has(name)));
  expect(SessionFields.parse(earlier)).toEqual(sessionFieldsOf(EMPTY_SESSION));
});

it("every other field is required, and one that is not in the schema is left out", () => {
  const required = FIELDS.filter(([name]) => !LATER.has(name));
  for (const [name] of required) {
    const rest = Object.fromEntries(required.filter(([other]) => other !== name));
    expect({ name, isRead: SessionFields.safeParse(rest).success }).toEqual({ name, isRead: false });
  }
  expect(SessionFields.parse({ ...Object.fromEntries(required), more: 1 })).not.toHaveProperty("more");
});

it("the fields of a state leave out its entries", () => {
  const fields = sessionFieldsOf({ ...EMPTY_SESSION, seq: 7, title: "Titled", queuePaused: true });
  expect(fields).toMatchObject({ seq: 7, title: "Titled", queuePaused: true });
  for (const name of ["settled", "open", "hasMore"]) expect(fields).not.toHaveProperty(name);
});

it("a new row is complete, and its session starts with the row's values, without a turn", () => {
  const row = newSessionRow({ id: SESSION, projectId: PROJECT, cliType: BUILTIN, createdAt: NOW });
  expect(SessionRow.parse(row)).toEqual(row);
  expect(row).toMatchObject({
    title: EMPTY_SESSION.title,
    archived: false,
    lastActiveAt: NOW,
    turn: { state: "idle" },
  });
  expect(stateFromRow(row)).toEqual(EMPTY_SESSION);
  const kept = stateFromRow({ ...row, title: "Brought along", archived: true, turn: { state: "running" } });
  const { turn } = EMPTY_SESSION;
  expect(kept).toEqual({ ...EMPTY_SESSION, title: "Brought along", titleSource: "derived", archived: true, turn });
});
