import { describe, expect, it } from "bun:test";
import { PureSession } from "../../../tests/core/pure-session.ts";
import type { UsageLimit } from "../../protocol/conversations.ts";
import { GO_ON } from "./usage-limits.ts";

const TEXT = "You've hit your 5-hour limit · resets 3:00am (UTC)";
const RESETS_AT = "2026-01-01T03:00:00.000Z";
const USAGE: UsageLimit = { kind: "usage", window: "5-hour", resetsAt: RESETS_AT, text: TEXT };
const RATE: UsageLimit = { kind: "rate", text: "Request rejected (429)" };
const QUOTA: UsageLimit = { kind: "quota", text: "Quota exceeded." };

function fail(session: PureSession, limit: UsageLimit): void {
  const error = { code: "AGENT_LIMIT", message: limit.text, limit };
  session.hear({ type: "turn-failed", turnId: session.turn, error });
}

function limited(limit: UsageLimit = USAGE, resume: PureSession["limitsResume"] = "ask"): PureSession {
  const session = new PureSession();
  session.limitsResume = resume;
  session.start("Fix the parser");
  session.tell({ type: "session:send", content: "Then the lexer" });
  fail(session, limit);
  return session;
}

const prompts = (session: PureSession) =>
  session.effects.flatMap((effect) => (effect.type === "prompt" ? [effect.content] : []));

/** Moves the clock to the next due time, and lets it continue. */
function continueWhenDue(session: PureSession) {
  session.now = session.state.pause?.resumesAt ?? session.now;
  return session.tell({ type: "session:limit-due" });
}

describe("a session at a usage limit", () => {
  it("[CV-25] keeps its queue, and the turn is no success", () => {
    const session = limited();
    expect(session.state.turn).toMatchObject({ state: "idle", stopReason: "error", error: { code: "AGENT_LIMIT" } });
    expect([session.state.queuePaused, session.state.queue.map(({ content }) => content)]).toEqual([
      true,
      ["Then the lexer"],
    ]);
    expect(prompts(session)).toEqual(["Fix the parser"]);
  });

  it("[CV-25] a message that is sent now waits with the others, and so do reports of its agents", () => {
    const session = limited();
    session.tell({ type: "session:send", content: "And this" });
    session.tell({ type: "session:steer", content: "And that" });
    expect(session.state.queue.map(({ content }) => content)).toEqual(["Then the lexer", "And this", "And that"]);
    session.tell({
      type: "session:wait",
      wait: { waitId: "w", agentIds: [], until: "all" },
    });
    expect(session.tell({ type: "session:wake", waitIds: ["w"], content: "Digest" })).toMatchObject({ ok: false });
    expect([prompts(session), session.state.queuePaused]).toEqual([["Fix the parser"], true]);
  });

  it("[CV-22] sends nothing without a yes: it is due a minute after the reset, and stays", () => {
    const session = limited();
    expect(session.state.pause).toEqual({
      limit: USAGE,
      dueAt: "2026-01-01T03:01:00.000Z",
      resumesAt: null,
      tries: 0,
      isUntouched: true,
    });
    session.now = "2026-01-02T00:00:00.000Z";
    expect(session.tell({ type: "session:limit-due" })).toMatchObject({ ok: false });
    expect(prompts(session)).toEqual(["Fix the parser"]);
  });

  it("[CV-22] [CV-23] with a yes it continues when the time has come, never before and once", () => {
    const session = limited();
    session.tell({ type: "session:resume-limit", when: "then" });
    expect(session.state.pause?.resumesAt).toBe("2026-01-01T03:01:00.000Z");
    session.now = "2026-01-01T03:00:59.999Z";
    expect(session.tell({ type: "session:limit-due" })).toMatchObject({ ok: false });
    session.now = "2026-01-01T03:01:00.000Z";
    const facts = session.since(() => session.tell({ type: "session:limit-due" })).map(({ type }) => type);
    expect(facts.filter((type) => type === "session:pause" || type === "session:turn")).toEqual([
      "session:turn",
      "session:pause",
    ]);
    expect(session.tell({ type: "session:limit-due" })).toMatchObject({ ok: false });
    expect(prompts(session)).toEqual(["Fix the parser", "Fix the parser"]);
    expect(session.entries.filter(({ type }) => type === "user")).toHaveLength(1);
    session.end();
    expect(prompts(session).at(-1)).toBe("Then the lexer");
  });

  it("[CV-22] every pause can be cancelled: dismissed, stopped, killed, archived", () => {
    for (const type of ["session:dismiss-limit", "session:cancel", "session:kill", "session:archive"] as const) {
      const session = limited(USAGE, "auto");
      expect(session.state.pause?.resumesAt).toBe("2026-01-01T03:01:00.000Z");
      session.tell({ type });
      session.now = "2026-01-02T00:00:00.000Z";
      expect([session.state.pause, session.tell({ type: "session:limit-due" }).ok]).toEqual([null, false]);
      expect(session.state.queue).toHaveLength(1);
    }
  });

  it("[CV-22] after a dismissal messages are sent as usual again", () => {
    const session = limited();
    session.tell({ type: "session:dismiss-limit" });
    session.start("Another agent did it. Explain it.");
    expect(prompts(session).at(-1)).toBe("Another agent did it. Explain it.");
  });

  it("“never” offers no time, and trying now is always possible", () => {
    const session = limited(USAGE, "never");
    expect(session.state.pause).toMatchObject({ dueAt: null, resumesAt: null });
    expect(session.tell({ type: "session:resume-limit", when: "then" })).toMatchObject({ ok: false });
    expect(session.tell({ type: "session:resume-limit", when: "now" })).toMatchObject({ ok: true });
    expect([session.state.pause, session.state.turn.state]).toEqual([null, "running"]);
  });

  it("a quota without an end has no timer, whatever is set", () => {
    const session = limited(QUOTA, "auto");
    expect(session.state.pause).toMatchObject({ dueAt: null, resumesAt: null });
    session.tell({ type: "session:resume-limit", when: "now" });
    fail(session, QUOTA);
    expect(session.state.pause).toMatchObject({ tries: 0, dueAt: null });
  });

  it("an agent that has worked is asked to continue; its limit text is not work", () => {
    const idle = new PureSession().start("Fix it");
    idle.text(TEXT);
    fail(idle, USAGE);
    expect(idle.state.pause?.isUntouched).toBe(true);
    const busy = new PureSession().start("Fix it");
    busy.announce("t1", { name: "edit", status: "running" });
    busy.text(TEXT);
    fail(busy, USAGE);
    expect(busy.state.pause?.isUntouched).toBe(false);
    busy.tell({ type: "session:resume-limit", when: "now" });
    expect(prompts(busy)).toEqual(["Fix it", GO_ON]);
    expect(busy.entries.filter((entry) => entry.type === "user").map(({ author }) => author)).toEqual([
      undefined,
      "limit",
    ]);
  });

  it("[CV-27] the text is shown once, and the words stay", () => {
    const session = new PureSession().start("Fix it");
    session.text(TEXT);
    fail(session, USAGE);
    const shown = session.told.filter(([, words]) => words.includes("hit your 5-hour limit"));
    expect(shown).toEqual([["assistant", TEXT]]);
    const silent = new PureSession().start("Fix it");
    fail(silent, USAGE);
    expect(silent.told.filter(([, words]) => words.includes("hit your 5-hour limit"))).toEqual([["notice", TEXT]]);
  });
});

describe("[CV-24] a limit that is met again", () => {
  const minutesUntil = (session: PureSession) => {
    const { resumesAt = null } = session.state.pause ?? {};
    return resumesAt === null ? null : (Date.parse(resumesAt) - Date.parse(session.now)) / 60_000;
  };

  it("backs off by 2, 5 and 10 minutes, and stops after four tries", () => {
    const session = limited(USAGE, "auto");
    const waits: (number | null)[] = [];
    let tries = 0;
    while (continueWhenDue(session).ok) {
      tries++;
      // Its text names the time of day, which reads as tomorrow's once it has passed.
      fail(session, { ...USAGE, resetsAt: "2026-01-02T03:00:00.000Z" });
      waits.push(minutesUntil(session));
    }
    expect([tries, waits]).toEqual([4, [2, 5, 10, null]]);
    expect(session.state.pause).toMatchObject({ tries: 4, dueAt: null, limit: { resetsAt: RESETS_AT } });
    expect(prompts(session)).toHaveLength(5);
  });

  it("waits for a new end where the agent names one", () => {
    const session = limited(USAGE, "auto");
    continueWhenDue(session);
    fail(session, { ...USAGE, window: "weekly", resetsAt: "2026-01-04T10:00:00.000Z" });
    expect(session.state.pause?.resumesAt).toBe("2026-01-04T10:01:00.000Z");
  });

  it("too many requests are tried again after 1, 2 and 5 minutes", () => {
    const session = limited(RATE, "auto");
    const waits = [minutesUntil(session)];
    while (continueWhenDue(session).ok) {
      fail(session, RATE);
      waits.push(minutesUntil(session));
    }
    expect(waits).toEqual([1, 2, 5, null]);
  });

  it("[CV-26] a refusal of another session of the account counts for this one, without a try", () => {
    const session = limited(USAGE, "auto");
    for (const minutes of [2, 5, 10, null]) {
      expect(session.tell({ type: "session:limit-again", limit: USAGE })).toMatchObject({ ok: false });
      session.now = session.state.pause?.resumesAt ?? "";
      session.tell({ type: "session:limit-again", limit: USAGE });
      expect(minutesUntil(session)).toBe(minutes);
    }
    expect(session.tell({ type: "session:limit-again", limit: USAGE })).toMatchObject({ ok: false });
    expect(prompts(session)).toEqual(["Fix the parser"]);
  });

  it("a success ends it: the next limit starts afresh", () => {
    const session = limited(USAGE, "auto");
    continueWhenDue(session);
    session.end();
    expect(session.state.turn.state).toBe("running");
    fail(session, { ...USAGE, resetsAt: "2026-01-01T08:00:00.000Z" });
    expect(session.state.pause).toMatchObject({ tries: 0, resumesAt: "2026-01-01T08:01:00.000Z" });
  });
});
