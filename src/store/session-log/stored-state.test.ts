import { expect, it } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { LogWriter } from "../../../tests/core/log-writer.ts";
import { BINDING, BUILTIN, elicitationId, NOW, PROJECT, permissionId, SESSION } from "../../../tests/core/names.ts";
import { SessionId } from "../../protocol/ids.ts";
import { EMPTY_SESSION, newSessionRow, type SessionRow } from "../../protocol/session-schema.ts";
import { MIGRATIONS } from "../migrations.ts";
import { committedValues, createdValues, readState, sessionRowFrom, writeState } from "./session-columns.ts";
import { prepareSessionStatements } from "./session-statements.ts";

const permission = {
  permissionId: permissionId("p"),
  toolCall: { toolCallId: "c", name: "Run" },
  options: [],
  askedAt: NOW,
};
const question = {
  elicitationId: elicitationId("e"),
  mode: "url" as const,
  message: "Visit it",
  fields: [],
  url: "https://example.com/",
  askedAt: NOW,
};

it("W-9 open permissions and questions come back as they were", () => {
  const state = { ...EMPTY_SESSION, seq: 3, pending: [permission, question], visits: [question] };
  expect(readState(writeState(state))).toEqual(state);
});

it("a state of before there were questions is read as one without any", () => {
  const { visits: _, ...before } = JSON.parse(writeState({ ...EMPTY_SESSION, pending: [permission] }));
  expect(readState(JSON.stringify(before))).toEqual({ ...EMPTY_SESSION, pending: [permission] });
});

it("every stored field of a row comes back from its column, by name", () => {
  using db = new DatabaseSync(":memory:");
  for (const step of MIGRATIONS) db.exec(step);
  db.prepare("INSERT INTO project (id, path, name, added_at, position) VALUES (?, '/work', 'work', ?, 1)").run(
    PROJECT,
    NOW,
  );
  const sql = prepareSessionStatements(db);
  const row: SessionRow = {
    ...newSessionRow({ id: SESSION, projectId: PROJECT, cliType: BUILTIN, createdAt: NOW }),
    title: 'It\'s "quoted" – ü',
    lastActiveAt: "2026-02-02T00:00:00.000Z",
    archived: true,
    turn: { state: "idle", stopReason: "end_turn" },
    parentId: SessionId.parse("builtin:parent"),
    usage: { used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } },
  };
  const stored = () => sessionRowFrom(sql.sessionById.get(SESSION) ?? {});
  sql.insertSession.run(createdValues({ ...row, start: { state: "starting" } }, BINDING));
  expect(stored()).toEqual(row);
  db.exec("UPDATE session SET attention_seq = 2, seen_seq = 1, armed_waits = 1");
  expect(stored()).toEqual({ ...row, unread: true, waitsForAgents: true });
  const state = { ...EMPTY_SESSION, seq: 4, title: "Changed" };
  const commit = new LogWriter(() => {
    throw new Error("nothing is written");
  }).prepare([]);
  sql.updateSession.run(committedValues(1, { ...commit, state }));
  const { usage: _, ...kept } = row;
  const { title, archived, turn } = state;
  expect(stored()).toEqual({ ...kept, title, archived, turn, unread: true, waitsForAgents: true });
});
