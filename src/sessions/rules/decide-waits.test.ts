import { describe, expect, it } from "bun:test";
import { SESSION } from "../../../tests/core/names.ts";
import { PureSession } from "../../../tests/core/pure-session.ts";

function waitsOf(session: PureSession): string[] {
  return session.state.waits.map(({ waitId }) => waitId);
}

function waiting(...ids: string[]): PureSession {
  const session = new PureSession();
  for (const waitId of ids) expect(session.tell(armed(waitId))).toMatchObject({ ok: true });
  return session;
}

function armed(waitId: string) {
  return { type: "session:wait" as const, wait: { waitId, agentIds: [SESSION], until: "all" as const } };
}

describe("O-7 a wait for agents", () => {
  it("is kept with the time at which it was armed; the same one again changes nothing", () => {
    const session = waiting("a", "b");
    expect(session.state.waits[0]).toEqual({ waitId: "a", agentIds: [SESSION], until: "all", armedAt: session.now });
    expect(session.since(() => session.tell(armed("a")))).toEqual([]);
    expect(waitsOf(session)).toEqual(["a", "b"]);
  });

  it("is the twentieth at most", () => {
    const session = waiting(...Array.from({ length: 20 }, (_, nth) => `w${nth}`));
    expect(session.tell(armed("one more"))).toMatchObject({ ok: false, refusal: { code: "LIMIT_EXCEEDED" } });
    expect(session.tell(armed("w19"))).toMatchObject({ ok: true });
    expect(waitsOf(session)).toHaveLength(20);
  });

  it("that is met starts a turn with the digest in the same facts, and other waits stay", () => {
    const session = waiting("a", "b", "c");
    const facts = session.since(() =>
      session.tell({ type: "session:wake", waitIds: ["b", "unknown"], content: "Digest" }),
    );
    expect(facts.map(({ type }) => type)).toContain("session:waits");
    expect([waitsOf(session), session.state.turn.state]).toEqual([["a", "c"], "running"]);
    expect(session.entries.at(-1)).toMatchObject({ type: "user", content: "Digest", author: "children" });
    expect(session.effects.at(-1)).toMatchObject({ type: "prompt", content: "Digest" });
  });

  it("wakes no session twice, and no working one: it stays armed for the next end", () => {
    const session = waiting("a");
    const wake = { type: "session:wake", waitIds: ["a"], content: "Digest" } as const;
    session.hear({ type: "text", kind: "assistant", text: "unasked" });
    expect(session.tell({ ...wake, waitIds: ["b"] })).toMatchObject({
      ok: false,
      refusal: { code: "REQUEST_NOT_PENDING" },
    });
    session.tell(wake);
    expect(session.tell(wake)).toMatchObject({ ok: false });
    session.tell(armed("later"));
    expect(session.tell({ ...wake, waitIds: ["later"] })).toMatchObject({
      ok: false,
      refusal: { code: "REQUEST_NOT_PENDING", message: expect.stringContaining("working") },
    });
    expect(waitsOf(session)).toEqual(["later"]);
    session.end();
    expect(session.tell({ ...wake, waitIds: ["later"] })).toMatchObject({ ok: true });
  });

  it("whose result the session has is removed without a turn; removing none is no fact", () => {
    const session = waiting("a", "b");
    expect(session.since(() => session.tell({ type: "session:waits-met", waitIds: ["unknown"] }))).toEqual([]);
    session.tell({ type: "session:waits-met", waitIds: ["a"] });
    expect([waitsOf(session), session.state.turn.state]).toEqual([["b"], "idle"]);
  });
});
