import { describe, expect, it } from "bun:test";
import { entryId, SESSION, turnId } from "../../tests/core/names.ts";
import { assistantEntry, idsOf, userEntry } from "../../tests/core/some-entries.ts";
import type { Entry } from "./entry.ts";
import { entriesOf, foldMessage } from "./fold-message.ts";
import type { SessionHistory, SessionPage } from "./session-messages.ts";
import { EMPTY_SESSION, type SessionState, sessionFieldsOf } from "./session-schema.ts";

function history(entries: Entry[], extra: Partial<SessionHistory> = {}): SessionHistory {
  return {
    type: "session:history",
    ...sessionFieldsOf(EMPTY_SESSION),
    sessionId: SESSION,
    seq: 10,
    entries,
    hasMore: false,
    title: "Titled",
    titleSource: "agent",
    ...extra,
  };
}

function page(before: string, entries: Entry[], hasMore = false): SessionPage {
  return { type: "session:page", sessionId: SESSION, before: entryId(before), entries, hasMore };
}

function after(...messages: Parameters<typeof foldMessage>[1][]): SessionState {
  return messages.reduce(foldMessage, EMPTY_SESSION);
}

const TURN = { state: "running", turnId: turnId("t2") } as const;

describe("foldMessage", () => {
  it("a history replaces everything", () => {
    const old = { ...EMPTY_SESSION, seq: 99, title: "Old", settled: [userEntry("old")], archived: true, hasMore: true };
    const state = foldMessage(old, history([userEntry("u")], { hasMore: true }));
    expect(state).toEqual({
      ...EMPTY_SESSION,
      seq: 10,
      title: "Titled",
      titleSource: "agent",
      settled: [userEntry("u")],
      hasMore: true,
    });
  });

  it("the entries of the running turn are open; without a running turn there are none", () => {
    const entries = [
      userEntry("u1", { turnId: turnId("t1") }),
      assistantEntry("between"),
      userEntry("u2", { turnId: turnId("t2") }),
      assistantEntry("a2", { turnId: turnId("t2") }),
    ];
    const running = after(history(entries, { turn: TURN }));
    expect([idsOf(running.settled), idsOf(running.open)]).toEqual([
      ["u1", "between"],
      ["u2", "a2"],
    ]);
    const idle = after(history(entries, { turn: { ...TURN, state: "idle" } }));
    expect([idsOf(idle.settled), idle.open]).toEqual([["u1", "between", "u2", "a2"], []]);
    const begun = after(history(entries.slice(0, 2), { turn: TURN }));
    expect(idsOf(begun.settled)).toEqual(["u1", "between"]);
  });

  it("facts after a history continue it; facts it already includes have no effect", () => {
    const state = after(history([assistantEntry("a", { turnId: turnId("t2"), content: "Hel" })], { turn: TURN }));
    const chunk = { type: "session:chunk", sessionId: SESSION, entryId: entryId("a") } as const;
    expect(foldMessage(state, { ...chunk, seq: 10, content: "known" })).toBe(state);
    const grown = foldMessage(state, { ...chunk, seq: 11, content: "lo" });
    expect(entriesOf(grown)).toMatchObject([{ content: "Hello" }]);
  });

  it("a resume changes nothing: the missed facts follow, and its own fields would hide them", () => {
    const state = after(history([userEntry("u")]));
    const { entries: _, hasMore: __, ...standing } = history([], { seq: 20, title: "Newer", turn: TURN });
    expect(foldMessage(state, { ...standing, type: "session:resumed" })).toBe(state);
  });

  it("a page is put before the existing entries, once", () => {
    const state = after(history([userEntry("3"), userEntry("4")], { hasMore: true }));
    const first = page("3", [userEntry("2")], true);
    const paged = foldMessage(state, first);
    expect([idsOf(entriesOf(paged)), paged.hasMore]).toEqual([["2", "3", "4"], true]);
    expect(foldMessage(paged, first)).toBe(paged);
    const whole = foldMessage(paged, page("2", [userEntry("1")]));
    expect([idsOf(entriesOf(whole)), whole.hasMore]).toEqual([["1", "2", "3", "4"], false]);
  });

  it("a page for a position that is no longer the first is ignored: a fresh history came between", () => {
    const state = after(history([userEntry("7")], { hasMore: true }));
    expect(foldMessage(state, page("3", [userEntry("2")]))).toBe(state);
    expect(foldMessage(EMPTY_SESSION, page("3", [userEntry("2")]))).toBe(EMPTY_SESSION);
  });

  it("a page can precede a turn that is the whole window", () => {
    const open = userEntry("u2", { turnId: turnId("t2") });
    const state = foldMessage(after(history([open], { turn: TURN, hasMore: true })), page("u2", [userEntry("1")]));
    expect([idsOf(state.settled), idsOf(state.open)]).toEqual([["1"], ["u2"]]);
  });
});
