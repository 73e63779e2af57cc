import { describe, expect, it } from "bun:test";
import { SessionId } from "../../protocol/ids.ts";
import { FactMessage, PlainServerMessage } from "../../protocol/server-messages.ts";
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
  it("[X-11] tells what is shown as soon as it is known how far it was heard, and what no longer is", () => {
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

  it("[X-11] [X-18] tells of every session that stands beside another", () => {
    const { told, seen, turn } = scene();
    turn(A, 1);
    turn(B, 2);
    seen.show([A, B]);
    seen.show([B, A]);
    seen.show([B]);
    expect(told).toEqual(["builtin:a 1 true", "builtin:b 2 true", "builtin:a 1 false"]);
  });

  it("[X-11] tells again when the server calls unread what is in view here", () => {
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
});
