import { describe, expect, it } from "bun:test";
import { commandId, permissionId } from "../../../tests/core/names.ts";
import { PureSession } from "../../../tests/core/pure-session.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import { QUEUE_ITEMS_MAX } from "../../protocol/limits.ts";
import type { SessionState } from "../../protocol/session-schema.ts";

const IMAGE = { type: "image", mimeType: "image/png", data: "AAAA" } as const;

const ASK: AgentEvent = {
  type: "permission-requested",
  permissionId: permissionId("p"),
  patch: { toolCallId: "call", announced: true },
  options: [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
};

/** One session in each state a turn can be in. */
const STATES: Readonly<Record<SessionState["turn"]["state"], () => PureSession>> = {
  idle: () => new PureSession().start().end(),
  running: () => new PureSession().start(),
  waiting: () => {
    const session = new PureSession().start();
    session.hear(ASK);
    return session;
  },
  stalled: () => {
    const session = new PureSession().start();
    session.hear({ type: "silent" });
    return session;
  },
};
const ACTIVE = ["running", "waiting", "stalled"] as const;

const queueOf = ({ state }: PureSession) => state.queue.map(({ content }) => content);

describe("session:send", () => {
  it("TC-3.1a when idle, adds the user's entry, starts a turn and prompts the agent", () => {
    const session = new PureSession();
    const decision = session.tell({
      type: "session:send",
      content: "Hi",
      attachments: [IMAGE],
      commandId: commandId("c"),
    });
    expect(decision).toMatchObject({ ok: true, answer: null });
    expect(session.facts).toMatchObject([
      { type: "session:title-updated", title: "Hi", source: "derived" },
      { type: "session:update", entry: { type: "user", content: "Hi", attachments: [IMAGE], commandId: "c" } },
      { type: "session:turn", turn: { state: "running" } },
    ]);
    expect(session.effects).toMatchObject([
      { type: "prompt", turnId: session.turn, content: "Hi", attachments: [IMAGE] },
    ]);
    expect(session.entries[0]?.turnId).toBe(session.turn);
  });

  it("TC-3.1b refuses an empty message, idle or not, unless something is attached", () => {
    for (const make of Object.values(STATES)) {
      for (const content of ["", " \n\t "])
        expect(make().tell({ type: "session:send", content })).toMatchObject({
          ok: false,
          refusal: { code: "INVALID_MESSAGE" },
        });
      expect(make().tell({ type: "session:send", content: "", attachments: [IMAGE] }).ok).toBe(true);
    }
  });

  it("derives a title once, from the first message with text, and never replaces another title", () => {
    const session = new PureSession();
    session.tell({ type: "session:send", content: "", attachments: [IMAGE] });
    session.end();
    expect(session.state.title).toBe("New Session");
    session.start("first words").end();
    session.start("other words");
    expect(session.state.title).toBe("first words");
    const named = new PureSession({ title: "Mine", titleSource: "user" }).start("words");
    expect(named.state.title).toBe("Mine");
  });

  it.each(ACTIVE)("X-6 while %s it is queued, in order, and is not an entry yet", (state) => {
    const session = STATES[state]();
    const before = { entries: session.entries.length, effects: session.effects.length };
    for (const content of ["one", "two", "three"]) session.tell({ type: "session:send", content });
    expect(queueOf(session)).toEqual(["one", "two", "three"]);
    expect({ entries: session.entries.length, effects: session.effects.length }).toEqual(before);
    expect(session.state.turn.state).toBe(state);
    expect(new Set(session.state.queue.map((item) => item.commandId)).size).toBe(3);
  });

  it("a full queue refuses another message, with the limit, and stays unchanged", () => {
    const session = STATES.running();
    for (let count = 0; count < QUEUE_ITEMS_MAX; count += 1)
      session.tell({ type: "session:send", content: `${count}` });
    expect(session.tell({ type: "session:send", content: "more" })).toMatchObject({
      ok: false,
      refusal: { code: "LIMIT_EXCEEDED", message: "Over the limit of 100 for queued messages." },
    });
    expect(session.state.queue).toHaveLength(QUEUE_ITEMS_MAX);
  });

  it("to a paused queue goes first and resumes the queue", () => {
    const session = STATES.running();
    session.tell({ type: "session:send", content: "held" });
    session.tell({ type: "session:cancel" });
    session.end();
    expect([queueOf(session), session.state.queuePaused]).toEqual([["held"], true]);
    session.tell({ type: "session:send", content: "now" });
    expect(session.entries.at(-1)?.content).toBe("now");
    expect([queueOf(session), session.state.queuePaused]).toEqual([["held"], false]);
    session.end();
    expect(session.entries.at(-1)?.content).toBe("held");
  });

  it("after a stop that is still in progress runs as soon as it has ended, before the messages held back by that stop", () => {
    const session = STATES.running();
    session.tell({ type: "session:send", content: "held" });
    session.tell({ type: "session:cancel" });
    session.tell({ type: "session:send", content: "now" });
    session.tell({ type: "session:send", content: "then" });
    expect(queueOf(session)).toEqual(["now", "held", "then"]);
    session.end();
    expect([session.entries.at(-1)?.content, session.state.turn.state]).toEqual(["now", "running"]);
    expect(queueOf(session.end())).toEqual(["then"]);
  });
});

describe("session:cancel", () => {
  it("without a running turn is accepted and has no effect", () => {
    const session = STATES.idle();
    const effects = session.effects.length;
    expect(session.since(() => session.tell({ type: "session:cancel" }))).toEqual([]);
    expect(session.effects).toHaveLength(effects);
  });

  it.each(ACTIVE)("TC-3.7b while %s asks the agent to stop; the turn ends when the agent reports it", (state) => {
    const session = STATES[state]();
    session.tell({ type: "session:cancel" });
    expect(session.effects.at(-1)).toEqual({ type: "cancel", turnId: session.turn });
    expect(session.state).toMatchObject({ turn: { state: "running", turnId: session.turn }, pending: [] });
    session.end("end_turn");
    expect(session.state.turn).toMatchObject({ state: "idle", stopReason: "cancelled" });
  });

  it("W-3 answers open requests with cancelled before it asks the agent to stop", () => {
    const session = STATES.waiting();
    const facts = session.since(() => session.tell({ type: "session:cancel" }));
    expect(facts).toMatchObject([
      { type: "session:update", entry: { status: "cancelled" } },
      { type: "permission:resolved", outcome: { outcome: "cancelled" } },
      { type: "session:turn", turn: { state: "running" } },
    ]);
    expect(session.effects.slice(-2).map(({ type }) => type)).toEqual(["answer-permission", "cancel"]);
  });

  it("pauses a queue, also without a running turn, and an empty queue is never paused", () => {
    const session = STATES.running();
    session.tell({ type: "session:cancel" });
    expect(session.state.queuePaused).toBe(false);
    session.end().start();
    session.tell({ type: "session:send", content: "wait" });
    session.tell({ type: "session:cancel" });
    expect(session.state).toMatchObject({ queuePaused: true, queue: [{ content: "wait" }] });
    const idle = new PureSession({ queue: [{ commandId: commandId("c"), content: "wait" }] });
    idle.tell({ type: "session:cancel" });
    expect(idle.state.queuePaused).toBe(true);
  });
});

describe("session:queue-edit", () => {
  function queued(): PureSession {
    const session = STATES.running();
    for (const content of ["a", "b", "c"])
      session.tell({ type: "session:send", content, commandId: commandId(content) });
    return session;
  }
  const item = (id: string, content: string) => ({ commandId: commandId(id), content });

  it("X-6 changes, reorders and removes queued messages", () => {
    const session = queued();
    expect(session.tell({ type: "session:queue-edit", items: [item("c", "C"), item("a", "a")] }).ok).toBe(true);
    expect(session.state.queue).toEqual([item("c", "C"), item("a", "a")]);
  });

  it("can neither add a message, restore one, nor duplicate one", () => {
    const session = queued();
    const items = [item("b", "b"), item("new", "new"), item("b", "b again")];
    session.tell({ type: "session:queue-edit", items });
    expect(session.state.queue).toEqual([item("b", "b")]);
    session.tell({ type: "session:queue-edit", items: [item("a", "a")] });
    expect(session.state.queue).toEqual([]);
  });

  it("cannot empty a message; and an emptied queue is no longer paused", () => {
    const session = queued();
    expect(session.tell({ type: "session:queue-edit", items: [item("a", " ")] })).toMatchObject({
      ok: false,
      refusal: { code: "INVALID_MESSAGE" },
    });
    expect(queueOf(session)).toEqual(["a", "b", "c"]);
    session.tell({ type: "session:cancel" });
    session.tell({ type: "session:queue-edit", items: [item("a", "a")] });
    expect(session.state.queuePaused).toBe(true);
    session.tell({ type: "session:queue-edit", items: [] });
    expect(session.state).toMatchObject({ queue: [], queuePaused: false });
  });
});

describe("session:retry", () => {
  it("CV-2 (A3) starts a new conversation only if the agent refused to open the old one", () => {
    const session = new PureSession();
    session.tell({ type: "session:send", content: "go" });
    session.hear({
      type: "turn-failed",
      turnId: session.turn,
      error: { code: "AGENT_PROTOCOL_ERROR", message: "No." },
    });
    expect(session.tell({ type: "session:retry", afresh: true })).toMatchObject({ ok: false });
    session.tell({ type: "session:retry" });
    const error = { code: "AGENT_SESSION_REFUSED", message: "In use." };
    session.hear({ type: "turn-failed", turnId: session.turn, error });
    expect(session.tell({ type: "session:retry", afresh: true })).toMatchObject({ ok: true });
    expect(session.effects.at(-1)).toMatchObject({ type: "prompt", content: "go", afresh: true });
  });

  it("sends the last message again without a second entry for it", () => {
    const session = new PureSession();
    session.tell({ type: "session:send", content: "try", attachments: [IMAGE] });
    session.hear({ type: "turn-failed", turnId: session.turn, error: { code: "X", message: "x" } });
    const failed = session.turn;
    const facts = session.since(() => session.tell({ type: "session:retry" }));
    expect(facts).toMatchObject([{ type: "session:turn", turn: { state: "running" } }]);
    expect(session.turn).not.toBe(failed);
    expect(session.effects.at(-1)).toMatchObject({
      type: "prompt",
      turnId: session.turn,
      content: "try",
      attachments: [IMAGE],
    });
    expect(session.told.map(([type]) => type)).toEqual(["user", "notice"]);
  });

  it.each(ACTIVE)("is refused while %s, and if there is no message yet", (state) => {
    for (const session of [STATES[state](), new PureSession()])
      expect(session.tell({ type: "session:retry" })).toMatchObject({
        ok: false,
        refusal: { code: "INVALID_MESSAGE" },
      });
  });
});

describe("session:archive, unarchive, kill and rename", () => {
  it("TC-2.4a archiving closes the agent's session; unarchiving does not involve the agent", () => {
    const session = STATES.idle();
    expect(session.tell({ type: "session:archive" })).toMatchObject({ ok: true, answer: "session:archived" });
    expect(session.effects.at(-1)).toEqual({ type: "close-agent" });
    const effects = session.effects.length;
    expect(session.tell({ type: "session:unarchive" })).toMatchObject({ ok: true, answer: "session:unarchived" });
    expect([session.state.archived, session.effects.length]).toEqual([false, effects]);
  });

  it.each(ACTIVE)("TC-2.4a while %s it cancels first, then closes, and the queue is paused", (state) => {
    for (const type of ["session:archive", "session:kill"] as const) {
      const session = STATES[state]();
      session.tell({ type: "session:send", content: "wait" });
      session.tell({ type });
      expect(session.effects.slice(-2)).toEqual([{ type: "cancel", turnId: session.turn }, { type: "close-agent" }]);
      expect(session.state).toMatchObject({ queuePaused: true, pending: [], archived: type === "session:archive" });
      session.hear({ type: "lost", reason: "closed", state: "closed" });
      expect(session.state.turn).toMatchObject({ state: "idle", stopReason: "cancelled" });
    }
  });

  it("a rename by the user is answered by its fact and has priority over every other title", () => {
    const session = STATES.running();
    expect(session.tell({ type: "session:rename", title: "Mine" })).toMatchObject({
      ok: true,
      answer: "session:title-updated",
      facts: [{ type: "session:title-updated", title: "Mine", source: "user" }],
      effects: [],
    });
  });

  it("[X-40] pins, labels and a dismissed failure are kept; each label counts once, and what is the same is no fact", () => {
    const session = STATES.idle();
    session.tell({ type: "session:organize", pinned: true, labels: ["Later", "bug", "LATER"], dismissed: true });
    expect(session.state).toMatchObject({ pinned: true, labels: ["Later", "bug"], dismissed: true });
    const { length } = session.facts;
    expect(session.tell({ type: "session:organize", labels: ["Later", "bug"] })).toMatchObject({ ok: true, facts: [] });
    expect(session.facts).toHaveLength(length);
    session.start();
    expect(session.state).toMatchObject({ pinned: true, labels: ["Later", "bug"], dismissed: false });
  });
});
