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

it("fields that earlier versions lack are read with their initial value", () => {
  const { visits, waits, ...earlier } = sessionFieldsOf(EMPTY_SESSION);
  expect(SessionFields.parse(earlier)).toEqual({ ...earlier, visits, waits });
});

it("every other field is required, and one that is not in the schema is left out", () => {
  const { visits: _, waits: __, ...required } = sessionFieldsOf(EMPTY_SESSION);
  for (const name of Object.keys(required)) {
    const rest = Object.fromEntries(Object.entries(required).filter(([other]) => other !== name));
    expect({ name, isRead: SessionFields.safeParse(rest).success }).toEqual({ name, isRead: false });
  }
  expect(SessionFields.parse({ ...required, more: 1 })).not.toHaveProperty("more");
});

it("the fields of a state leave out its entries", () => {
  const fields = sessionFieldsOf({ ...EMPTY_SESSION, seq: 7, title: "Titled", queuePaused: true });
  expect(fields).toMatchObject({ seq: 7, title: "Titled", queuePaused: true });
  for (const name of ["settled", "open", "hasMore"]) expect(fields).not.toHaveProperty(name);
});

it("a new row is whole, and its session starts as the row says, without a turn", () => {
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
