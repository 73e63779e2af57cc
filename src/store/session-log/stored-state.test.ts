import { expect, it } from "bun:test";
import { elicitationId, NOW, permissionId } from "../../../tests/core/names.ts";
import { EMPTY_SESSION } from "../../protocol/session-schema.ts";
import { readState, writeState } from "./session-statements.ts";

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
