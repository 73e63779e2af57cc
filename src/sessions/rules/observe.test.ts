import { describe, expect, it } from "bun:test";
import { permissionId } from "../../../tests/core/names.ts";
import { PureSession } from "../../../tests/core/pure-session.ts";
import type { AgentEvent } from "../../ports/agents.ts";

function started(): PureSession {
  return new PureSession().start();
}

const OPTIONS = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "once", name: "Once", kind: "allow_once" },
];

function asking(id: string, patch: Partial<Extract<AgentEvent, { type: "tool" }>["patch"]> = {}): AgentEvent {
  return {
    type: "permission-requested",
    permissionId: permissionId(id),
    patch: { toolCallId: `call-${id}`, announced: true, ...patch },
    options: OPTIONS,
  };
}

describe("a permission request", () => {
  it("W-8 waits for the user, with the agent's options in its order and the tool call before it", () => {
    const session = started();
    const facts = session.since(() => session.hear(asking("p", { name: "rm -rf", kind: "execute", input: { a: 1 } })));
    expect(facts).toMatchObject([
      { type: "session:update", entry: { type: "tool-call", name: "rm -rf", status: "running" } },
      {
        type: "permission:request",
        permissionId: "p",
        toolCall: { toolCallId: "call-p", name: "rm -rf", kind: "execute", input: { a: 1 } },
        options: OPTIONS,
      },
      { type: "session:turn", turn: { state: "waiting", turnId: session.turn } },
    ]);
    expect(session.state.pending).toHaveLength(1);
  });

  it("shows what is known of the call if the request itself has little", () => {
    const session = started();
    const parts = [{ type: "diff" as const, path: "a", oldText: "x", newText: "y" }];
    session.announce("call-p", {
      name: "Edit a",
      kind: "edit",
      input: { path: "a" },
      parts,
      locations: [{ path: "a" }],
    });
    session.hear(asking("p"));
    expect(session.state.pending).toMatchObject([
      { toolCall: { name: "Edit a", kind: "edit", input: { path: "a" }, parts, locations: [{ path: "a" }] } },
    ]);
    expect(session.tools).toHaveLength(1);
  });

  it("for an unannounced call adds its entry", () => {
    const session = started();
    session.hear(asking("p"));
    expect(session.tools).toMatchObject([{ toolCallId: "call-p", name: "Tool call", status: "running" }]);
  });

  it("two may be open at once; the turn continues when the last is closed", () => {
    const session = started();
    session.hear(asking("1"), asking("2"));
    session.hear({ type: "permission-withdrawn", permissionId: permissionId("1") });
    expect([session.state.turn.state, session.state.pending.length]).toEqual(["waiting", 1]);
    session.hear({ type: "permission-withdrawn", permissionId: permissionId("2") });
    expect([session.state.turn.state, session.state.pending.length]).toEqual(["running", 0]);
  });

  it("withdrawn by the agent is resolved as cancelled, once, and sends no answer", () => {
    const session = started();
    session.hear(asking("p"));
    const withdraw = () => session.hear({ type: "permission-withdrawn", permissionId: permissionId("p") });
    expect(session.since(withdraw)).toMatchObject([
      { type: "permission:resolved", permissionId: "p", outcome: { outcome: "cancelled" } },
      { type: "session:turn", turn: { state: "running" } },
    ]);
    expect(session.since(withdraw)).toEqual([]);
    expect(session.effects.filter(({ type }) => type === "answer-permission")).toEqual([]);
  });

  it("outside any turn is asked as well, and starts none", () => {
    const session = new PureSession();
    session.hear(asking("p"));
    expect(session.state.pending).toHaveLength(1);
    expect(session.state.turn.state).toBe("idle");
    expect(session.tools.map(({ status }) => status)).toEqual(["cancelled"]);
  });

  it("W-3 after the user's own stop is answered with cancelled at once and not shown", () => {
    const session = started();
    session.tell({ type: "session:cancel" });
    session.hear(asking("p"));
    expect(session.state.pending).toEqual([]);
    expect(session.state.turn.state).toBe("running");
    expect(session.effects.at(-1)).toEqual({
      type: "answer-permission",
      permissionId: permissionId("p"),
      outcome: { outcome: "cancelled" },
    });
  });
});

describe("a plan", () => {
  const item = (content: string, status: string) => ({ content, priority: "high", status });

  it("is one entry of its turn that each update replaces, at its position", () => {
    const session = started();
    session.text("first");
    session.hear({ type: "plan", items: [item("look", "pending")] });
    session.text("then");
    session.hear({ type: "plan", items: [item("look", "completed"), item("fix", "in_progress")] });
    session.text(" more");
    expect(session.told.slice(1)).toEqual([
      ["assistant", "first"],
      ["plan", "- [x] look\n- [ ] fix"],
      ["assistant", "then more"],
    ]);
    expect(session.entries[2]).toMatchObject({ items: [item("look", "completed"), item("fix", "in_progress")] });
  });

  it("of another turn is another entry", () => {
    const session = started();
    session.hear({ type: "plan", items: [item("one", "completed")] });
    session.end().start();
    session.hear({ type: "plan", items: [item("two", "pending")] });
    expect(session.told.filter(([type]) => type === "plan")).toHaveLength(2);
  });
});

describe("titles", () => {
  it("the agent's title replaces the derived one, and the user's replaces both", () => {
    const session = started();
    expect(session.state).toMatchObject({ title: "go", titleSource: "derived" });
    session.hear({ type: "title", title: "  Fix \n the build " });
    expect(session.state).toMatchObject({ title: "Fix the build", titleSource: "agent" });
    session.hear({ type: "title", title: "Better" });
    expect(session.state.title).toBe("Better");
    session.tell({ type: "session:rename", title: "Mine" });
    expect(session.since(() => session.hear({ type: "title", title: "The agent's" }))).toEqual([]);
    expect(session.state).toMatchObject({ title: "Mine", titleSource: "user" });
  });

  it("an empty or equal title changes nothing; a long one is cut", () => {
    const session = started();
    session.hear({ type: "title", title: "Same" });
    const nothing = session.since(() => session.hear({ type: "title", title: " " }, { type: "title", title: "Same" }));
    expect(nothing).toEqual([]);
    session.hear({ type: "title", title: "x".repeat(1_000) });
    expect(session.state.title).toHaveLength(200);
  });
});

describe("options, commands and usage", () => {
  const MODE = {
    id: "mode",
    name: "Mode",
    category: "mode",
    type: "select" as const,
    currentValue: "ask",
    options: [
      { value: "ask", name: "Ask" },
      { value: "edit", name: "Edit" },
    ],
  };
  const FAST = { id: "fast", name: "Fast", category: "mode", type: "boolean" as const, currentValue: false };

  it("each replaces its own part as a whole, and an equal one makes no fact", () => {
    const session = new PureSession();
    const commands = [{ name: "help", description: "" }];
    const report = { used: 1, size: 10 };
    const usage = { ...report, tokens: 1, turnTokens: 1 };
    const tell = () =>
      session.hear(
        { type: "options", options: [MODE, FAST] },
        { type: "commands", commands },
        { type: "usage", usage: report },
      );
    tell();
    expect(session.state.config).toEqual({ options: [MODE, FAST], commands, usage });
    expect(session.since(tell)).toEqual([]);
    session.hear({ type: "options", options: [FAST] });
    expect(session.state.config).toEqual({ options: [FAST], commands, usage });
  });

  it("(A13) the cost adds up over the agent's processes, and a report without it keeps it", () => {
    const session = new PureSession();
    const usd = (amount: number) => ({ amount, currency: "USD" });
    const report = (cost: number) => session.hear({ type: "usage", usage: { used: 1, size: 10, cost: usd(cost) } });
    report(0.05);
    report(0.08);
    session.hear({ type: "usage", usage: { used: 2 } });
    const counted = { used: 2, size: 10, cost: usd(0.08), tokens: 2, turnTokens: 2 };
    expect(session.state.config.usage).toEqual(counted);
    session.hear({ type: "attaching" }, { type: "attaching" });
    expect(session.state.config.usage?.cost).toEqual(usd(0.08));
    report(0.25);
    session.hear({ type: "usage", usage: { used: 3, size: 10 } });
    report(0.5);
    expect(session.state.config.usage?.cost).toEqual(usd(0.58));
    expect(session.state.config.usage).toMatchObject({ used: 1, costBefore: 0.08 });
  });

  it("(A13) an agent that remembers its cost across processes is not counted twice", () => {
    const session = new PureSession();
    const report = (amount: number, isFromMemory?: true) =>
      session.hear({
        type: "usage",
        usage: { used: 1, size: 10, cost: { amount, currency: "USD" } },
        ...(isFromMemory && { isFromMemory }),
      });
    report(0.25);
    session.hear({ type: "attaching" });
    report(0.25, true);
    report(0.5);
    expect(session.state.config.usage?.cost?.amount).toBe(0.5);
    session.hear({ type: "attaching" });
    report(0, true);
    report(0.25);
    expect(session.state.config.usage?.cost?.amount).toBe(0.75);
  });

  it("a mode that the agent changed by itself is shown", () => {
    const session = new PureSession();
    session.hear({ type: "options", options: [MODE, FAST] });
    session.hear({ type: "option-chosen", category: "mode", value: "edit" });
    expect(session.state.config.options).toEqual([{ ...MODE, currentValue: "edit" }, FAST]);
    expect(session.since(() => session.hear({ type: "option-chosen", category: "model", value: "x" }))).toEqual([]);
  });
});

describe("silence", () => {
  it("X-11 a turn without events is stalled, not ended, and its next event makes it run again", () => {
    const session = started();
    session.hear({ type: "silent" });
    expect(session.state.turn).toMatchObject({ state: "stalled", turnId: session.turn });
    expect(session.since(() => session.hear({ type: "silent" }))).toEqual([]);
    const facts = session.since(() => session.text("sorry"));
    expect(facts.map(({ type }) => type)).toEqual(["session:turn", "session:update"]);
    expect(session.state.turn.state).toBe("running");
  });

  it("is explained by a running tool, an open question or no turn at all", () => {
    const tool = started();
    tool.announce("1");
    const question = started();
    question.hear(asking("p"));
    for (const session of [tool, question, new PureSession()])
      expect(session.since(() => session.hear({ type: "silent" }))).toEqual([]);
    tool.patch("1", { status: "complete" });
    tool.hear({ type: "silent" });
    expect(tool.state.turn.state).toBe("stalled");
  });

  it("events that are not work of the turn do not end the stall", () => {
    const session = started();
    session.hear({ type: "silent" }, { type: "title", title: "T" }, { type: "usage", usage: { used: 1, size: 2 } });
    expect(session.state.turn.state).toBe("stalled");
  });

  it("an ignored cancel shows the stall with advice; later output is kept and hides nothing", () => {
    const session = started();
    session.tell({ type: "session:cancel" });
    session.hear({ type: "cancel-ignored" });
    session.text("still here");
    session.tell({ type: "session:cancel" });
    expect(session.state.turn).toMatchObject({ state: "stalled", error: { code: "AGENT_UNAVAILABLE" } });
    expect(session.told.at(-1)).toEqual(["assistant", "still here"]);
    session.end();
    expect(session.state.turn).toMatchObject({ state: "idle", stopReason: "cancelled" });
    expect(session.state.turn).not.toHaveProperty("error");
    expect(session.since(() => session.hear({ type: "cancel-ignored" }))).toEqual([]);
  });
});

describe("an event that this version cannot read", () => {
  it("is kept unchanged and has no effect", () => {
    const session = started();
    const before = session.state;
    const update = { sessionUpdate: "from_the_future", payload: [1, { deep: null }] };
    expect(session.since(() => session.hear({ type: "unknown", update }))).toEqual([{ type: "session:raw", update }]);
    expect(session.state).toEqual({ ...before, seq: before.seq + 1 });
  });

  it("a notice is shown at its position in the transcript", () => {
    const session = started();
    session.text("a");
    session.hear({ type: "notice", severity: "warning", content: "careful" });
    session.text("b");
    expect(session.told.slice(1)).toEqual([
      ["assistant", "a"],
      ["notice", "careful"],
      ["assistant", "b"],
    ]);
  });
});
