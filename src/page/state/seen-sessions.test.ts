import { describe, expect, it } from "bun:test";
import { SessionId } from "../../protocol/ids.ts";
import { FactMessage, PlainServerMessage } from "../../protocol/server-messages.ts";
import { EMPTY_SESSION } from "../../protocol/session-schema.ts";
import { SeenSessions } from "./seen-sessions.ts";

const A = SessionId.parse("builtin:a");
const B = SessionId.parse("builtin:b");

function scene() {
  const told: string[] = [];
  const seen = new SeenSessions((request) => {
    if (request.type === "session:seen") told.push(`${request.sessionId} ${request.seq} ${request.showing}`);
  });
  const turn = (sessionId: SessionId, seq: number) =>
    seen.receive(FactMessage.parse({ type: "session:turn", sessionId, seq, turn: { state: "idle" } }));
  const hear = (message: object) => seen.receive(PlainServerMessage.parse(message));
  return { told, seen, turn, hear };
}

describe("SeenSessions", () => {
  it("[X-11] reports shown sessions as soon as their position is known, and those no longer shown", () => {
    const { told, seen, turn } = scene();
    seen.show([A]);
    expect(told).toEqual([]);
    turn(B, 3);
    turn(A, 7);
    seen.show([]);
    seen.show([A]);
    seen.show([A]);
    seen.show([B]);
    expect(told).toEqual(["builtin:a 7 true", "builtin:a 7 false", "builtin:b 3 true"]);
  });

  it("[X-11] [X-18] reports every session shown side by side", () => {
    const { told, seen, turn } = scene();
    turn(A, 1);
    turn(B, 2);
    seen.show([A, B]);
    seen.show([B, A]);
    seen.show([B]);
    expect(told).toEqual(["builtin:a 1 true", "builtin:b 2 true", "builtin:a 1 false"]);
  });

  it("[X-11] reports again if the server marks a visible session as unread", () => {
    const { told, seen, turn, hear } = scene();
    turn(A, 7);
    seen.show([A]);
    const row = {
      id: A,
      projectId: "p",
      title: "t",
      lastActiveAt: "",
      createdAt: "",
      cliType: "builtin",
      archived: false,
    };
    hear({ type: "session:changed", ...row, turn: { state: "idle" }, unread: true });
    hear({ type: "session:changed", ...row, id: B, turn: { state: "idle" }, unread: true });
    expect(told).toEqual(["builtin:a 7 true", "builtin:a 7 true"]);
  });

  it("[X-40] a session that the user calls unread stays so until it is shown again", () => {
    const { told, seen, turn, hear } = scene();
    turn(A, 7);
    seen.show([A]);
    const row = { id: A, projectId: "p", title: "t", lastActiveAt: "", createdAt: "", cliType: "builtin" };
    const unread = { type: "session:changed", ...row, archived: false, turn: { state: "idle" }, unread: true };
    seen.leaveUnread(A);
    hear(unread);
    expect(told).toEqual(["builtin:a 7 true"]);
    seen.show([B]);
    seen.show([A]);
    hear(unread);
    expect(told).toEqual(["builtin:a 7 true", "builtin:a 7 false", "builtin:a 7 true", "builtin:a 7 true"]);
  });

  it("[X-40] a history that comes late, or again, leaves a session unread that the user calls so", () => {
    const { told, seen, turn, hear } = scene();
    seen.show([A]);
    seen.leaveUnread(A);
    hear({ ...EMPTY_SESSION, type: "session:history", sessionId: A, seq: 7, entries: [], hasMore: false });
    expect(told).toEqual([]);
    turn(B, 3);
    seen.show([A, B]);
    expect(told).toEqual(["builtin:b 3 true"]);
  });
});
