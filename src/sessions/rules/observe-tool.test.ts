import { describe, expect, it } from "bun:test";
import { PureSession } from "../../../tests/core/pure-session.ts";
import { toolEntry } from "../../../tests/core/some-entries.ts";
import type { ToolCallEntry } from "../../protocol/entry.ts";
import { EntryId } from "../../protocol/ids.ts";
import { SHOWN_CHARS_MAX } from "../../protocol/shown-text.ts";
import { RUNNING_CALLS_MAX } from "./observe-tool.ts";

function started(): PureSession {
  return new PureSession().start();
}

const DIFF = { type: "diff", path: "/project/a.ts", oldText: null, newText: "new" } as const;
const NOW = "2026-01-01T00:00:00.000Z";

describe("a tool call in its turn", () => {
  it("TC-3.3a is one running entry with what is known of it, and ends the text before it", () => {
    const session = started();
    session.text("let me look");
    const facts = session.since(() => session.announce("1", { name: "Read", kind: "read", status: "running" }));
    expect(facts).toMatchObject([{ type: "session:complete" }, { type: "session:update" }]);
    expect(session.tools).toEqual([
      expect.objectContaining({
        toolCallId: "1",
        name: "Read",
        kind: "read",
        status: "running",
        content: "",
        startedAt: NOW,
        turnId: session.turn,
      }),
    ]);
  });

  it("is filled by patches: absent keeps, a value replaces", () => {
    const session = started();
    session.announce("1", { name: "Terminal", input: {} });
    session.patch("1", { name: "ls -la", input: { command: "ls -la" }, locations: [{ path: "/project" }] });
    session.patch("1", { kind: "execute" });
    session.patch("1", { parts: [DIFF], locations: [{ path: "/project/a.ts", line: 3 }] });
    session.patch("1", { status: "complete", result: "done" });
    expect(session.tools).toMatchObject([
      {
        name: "ls -la",
        kind: "execute",
        input: { command: "ls -la" },
        locations: [{ path: "/project/a.ts", line: 3 }],
        parts: [DIFF],
        status: "complete",
        result: "done",
        endedAt: NOW,
      },
    ]);
  });

  it("announced twice is one entry, and an unchanged update makes no fact", () => {
    const session = started();
    session.announce("1", { name: "Preparing…", status: "running" });
    session.announce("1", { name: "Read", status: "running", input: { path: "x" } });
    expect(session.tools).toMatchObject([{ name: "Read", input: { path: "x" }, status: "running" }]);
    const repeated = session.since(() => {
      session.announce("1", { name: "Read", status: "running", input: { path: "x" } });
      session.patch("1");
    });
    expect(repeated).toEqual([]);
  });

  it("never announced gets an entry and a generic name, until it has a better one", () => {
    const session = started();
    session.patch("ghost", { status: "running" });
    expect(session.tools).toMatchObject([{ toolCallId: "ghost", name: "Tool call", status: "running" }]);
    session.patch("ghost", { name: "Fetch", status: "complete", result: "out of nowhere" });
    expect(session.tools).toMatchObject([{ name: "Fetch", status: "complete", result: "out of nowhere" }]);
  });

  it("announced as pending after it was in progress still runs, and keeps its position", () => {
    const session = started();
    session.patch("1", { status: "running", name: "Edit" });
    session.text("meanwhile");
    session.announce("1", { status: "running", name: "Edit a.ts" });
    expect(session.told.slice(1)).toEqual([
      ["tool-call", ""],
      ["assistant", "meanwhile"],
    ]);
    expect(session.tools).toMatchObject([{ status: "running", name: "Edit a.ts" }]);
  });

  it("several run side by side, each by its id", () => {
    const session = started();
    session.announce("1", { name: "One" });
    session.announce("2", { name: "Two" });
    session.patch("1", { status: "complete" });
    expect(session.tools.map(({ name, status }) => [name, status])).toEqual([
      ["One", "complete"],
      ["Two", "running"],
    ]);
  });

  it("TC-3.3c a failed one shows its error: its output, otherwise a text of ours; a success removes it", () => {
    const session = started();
    session.announce("1");
    session.patch("1", { status: "error" });
    expect(session.tools).toMatchObject([
      { status: "error", error: "The tool failed without a reason.", endedAt: NOW },
    ]);
    session.patch("1", { result: "exit code 3" });
    expect(session.tools[0]?.error).toBe("exit code 3");
    session.patch("1", { status: "complete" });
    expect(session.tools[0]).not.toHaveProperty("error");
  });
});

describe("CV-31 a sub-agent after the turn that began it", () => {
  const background = () => {
    const session = started();
    session.announce("child", { name: "Explore", status: "running", subAgent: { canStop: true } });
    session.end("end_turn");
    return session;
  };
  const stateOf = (session: PureSession, id: string) =>
    session.tools.findLast(({ toolCallId }) => toolCallId === id)?.status;

  it("shows calls that it begins as running, and their ends", () => {
    const session = background();
    session.announce("call", { name: "grep", status: "running", parentToolCallId: "child" });
    session.announce("stray", { name: "ls", status: "running" });
    expect([stateOf(session, "call"), stateOf(session, "stray")]).toEqual(["running", "cancelled"]);
    expect(session.state.subAgentCalls).toEqual(["child", "call"]);
    session.patch("call", { status: "complete" });
    session.patch("child", { status: "complete", subAgent: {} });
    expect([stateOf(session, "call"), stateOf(session, "child")]).toEqual(["complete", "complete"]);
    expect(session.state.subAgentCalls).toEqual([]);
  });

  it("ends with its agent, and what it was doing with it", () => {
    const session = background();
    session.announce("call", { name: "grep", status: "running", parentToolCallId: "child" });
    session.hear({ type: "lost", reason: "The agent stopped.", state: "crashed" });
    expect([stateOf(session, "call"), stateOf(session, "child")]).toEqual(["error", "error"]);
    expect(session.state.subAgentCalls).toEqual([]);
  });
});

describe("a tool call and a cancel (W-3)", () => {
  function cancelled(): PureSession {
    const session = started();
    session.announce("1", { name: "sleep", status: "running", result: "so far" });
    session.tell({ type: "session:cancel" });
    return session;
  }

  it("is shown as cancelled at once, before the agent reacts, with its output so far", () => {
    const session = cancelled();
    expect(session.state.turn.state).toBe("running");
    expect(session.tools).toMatchObject([{ status: "cancelled", result: "so far", endedAt: NOW }]);
  });

  it("that then fails or still runs stays cancelled; its output is kept", () => {
    const session = cancelled();
    session.patch("1", { status: "running", result: "so far, more" });
    session.patch("1", { status: "error", result: "so far, more, killed" });
    expect(session.tools).toMatchObject([{ status: "cancelled", result: "so far, more, killed" }]);
    expect(session.tools[0]).not.toHaveProperty("error");
    session.end();
    session.patch("1", { status: "error" });
    expect(session.tools).toMatchObject([{ status: "cancelled" }]);
  });

  it("stays cancelled if its agent later reports it as completed; the late output is kept", () => {
    const session = cancelled();
    session.patch("1", { status: "complete", result: "all of it" });
    expect(session.tools).toMatchObject([{ status: "cancelled", result: "all of it" }]);
    session.end("cancelled");
    session.patch("1", { status: "complete", result: "all of it, and more" });
    session.hear({ type: "tool-output", toolCallId: "1", text: ", and the rest" });
    expect(session.tools).toMatchObject([{ status: "cancelled", result: "all of it, and more, and the rest" }]);
  });

  it("late output past the limit is appended to the complete stored output", () => {
    const session = started();
    const long = "z".repeat(2 * SHOWN_CHARS_MAX);
    session.announce("1", { result: long });
    session.tell({ type: "session:cancel" });
    session.end("cancelled");
    session.hear({ type: "tool-output", toolCallId: "1", text: "late" });
    session.patch("1", { status: "complete", result: `${long}late, and done` });
    expect(session.tools).toMatchObject([{ status: "cancelled", truncated: { totalChars: long.length + 14 } }]);
    expect(session.outputs.get(session.tools[0]?.entryId ?? "")).toBe(`${long}late, and done`);
  });
});

describe("a tool call after its turn", () => {
  it("that was never finished stops running with the turn", () => {
    for (const [reason, status] of [
      ["end_turn", "cancelled"],
      ["refusal", "cancelled"],
      ["cancelled", "cancelled"],
    ] as const) {
      const session = started();
      session.announce("1");
      session.end(reason);
      expect(session.tools.map((tool) => tool.status)).toEqual([status]);
    }
  });

  it("is finished by a late update, and no late update makes it run again", () => {
    const session = started();
    session.announce("1", { name: "Slow" });
    session.end();
    expect(session.since(() => session.patch("1", { status: "running" }))).toEqual([]);
    const facts = session.since(() => session.patch("1", { status: "complete", result: "late" }));
    expect(facts).toMatchObject([
      { type: "session:update", late: true, entry: { status: "complete", result: "late" } },
    ]);
    expect(session.since(() => session.patch("1", { status: "complete" }))).toEqual([]);
    session.announce("1", { status: "running" });
    expect(session.tools).toMatchObject([{ name: "Slow", status: "complete" }]);
  });

  it("of a lost agent keeps the reason why it did not finish, whatever follows", () => {
    const session = started();
    session.announce("1", { result: "half" });
    session.hear({ type: "lost", reason: "gone", state: "crashed" });
    expect(session.tools).toMatchObject([{ status: "error", error: "The agent stopped before this finished." }]);
    session.patch("1", { locations: [{ path: "/project" }] });
    expect(session.tools).toMatchObject([{ error: "The agent stopped before this finished." }]);
  });

  it("a stray one between turns is kept and does not run", () => {
    const session = started().end();
    session.announce("1", { name: "Stray", status: "running" });
    session.patch("2", { status: "error", result: "stopped" });
    session.patch("3", { status: "complete" });
    expect(session.tools).toMatchObject([
      { name: "Stray", status: "cancelled" },
      { name: "Tool call", status: "cancelled", result: "stopped" },
      { name: "Tool call", status: "complete" },
    ]);
    expect(session.tools.map(({ turnId }) => turnId)).toEqual([undefined, undefined, undefined]);
  });
});

describe("an id that is reused", () => {
  it("in a later turn is a new call if it is announced, and the old one stays unchanged", () => {
    const session = started();
    session.announce("1", { name: "Old", status: "complete" });
    session.end();
    session.start();
    session.announce("1", { name: "New", status: "running" });
    session.patch("1", { result: "of the new one" });
    expect(session.tools).toMatchObject([
      { name: "Old", status: "complete" },
      { name: "New", status: "running", result: "of the new one" },
    ]);
    expect(session.tools[0]).not.toHaveProperty("result");
  });

  it("in a later turn without announcement is the old call, still finishing", () => {
    const session = started();
    session.announce("1", { name: "Slow" });
    session.end();
    session.start();
    const facts = session.since(() => session.patch("1", { status: "complete", result: "late" }));
    expect(facts).toMatchObject([{ late: true }]);
    expect(session.tools).toMatchObject([{ name: "Slow", status: "complete", result: "late" }]);
  });

  it("after its turn ended means the newest call of that id", () => {
    const session = started();
    session.announce("1", { name: "First" });
    session.end();
    session.start();
    session.announce("1", { name: "Second" });
    session.end();
    session.patch("1", { status: "complete" });
    expect(session.tools.map(({ name, status }) => [name, status])).toEqual([
      ["First", "cancelled"],
      ["Second", "complete"],
    ]);
  });
});

describe("very many tool calls in one turn (S12)", () => {
  /** Calls that count how often one of them is read. */
  function countedCalls(count: number): { readonly calls: readonly ToolCallEntry[]; looks: () => number } {
    let looks = 0;
    const look = <Value>(value: Value) => {
      looks += 1;
      return value;
    };
    const calls = Array.from({ length: count }, (_, index) =>
      Object.defineProperties(toolEntry(`entry-${index}`), {
        entryId: { enumerable: true, get: () => look(EntryId.parse(`entry-${index}`)) },
        toolCallId: { enumerable: true, get: () => look(`call-${index}`) },
      }),
    );
    return { calls, looks: () => looks };
  }

  it("an update does not read more of the other calls if there are many", () => {
    const { calls, looks } = countedCalls(2_000);
    const { turn } = started().state;
    const session = new PureSession({ open: calls, turn });
    for (const index of calls.keys()) {
      session.patch(`call-${index}`, { status: "complete", result: "done" });
      session.announce(`more-${index}`, { status: "complete" });
    }
    expect(session.tools).toHaveLength(4_000);
    expect(looks()).toBeLessThan(20 * calls.length);
  });

  it("one more than may run ends the oldest as not finished, and its late result still counts", () => {
    const session = started();
    for (let index = 0; index < RUNNING_CALLS_MAX; index++) session.announce(`call-${index}`, { status: "running" });
    expect(session.tools.every(({ status }) => status === "running")).toBe(true);
    const facts = session.since(() => session.announce("one more", { status: "running" }));
    expect(facts).toMatchObject([
      { entry: { toolCallId: "call-0", status: "cancelled", unfinished: true } },
      { entry: { toolCallId: "one more", status: "running" } },
    ]);
    session.patch("call-0", { status: "complete", result: "done after all" });
    expect(session.tools[0]).toMatchObject({ toolCallId: "call-0", status: "complete", result: "done after all" });
  });

  it("the end of a turn ends at most that many calls, however many there were", () => {
    const session = started();
    for (let index = 0; index < 2 * RUNNING_CALLS_MAX; index++)
      session.announce(`call-${index}`, { status: "running" });
    const ended = session.since(() => session.end()).filter(({ type }) => type === "session:update");
    expect(ended).toHaveLength(RUNNING_CALLS_MAX);
    expect(session.tools).toHaveLength(2 * RUNNING_CALLS_MAX);
    expect(session.tools.every(({ status, unfinished }) => status === "cancelled" && unfinished)).toBe(true);
  });

  it("an id reused in a long turn is the last call of that id, as in a short one", () => {
    const session = started();
    session.announce("same", { status: "running" });
    for (let index = 0; index < 100; index++) session.announce(`call-${index}`, { status: "complete" });
    session.end().start("again");
    for (let index = 0; index < 100; index++) session.announce(`later-${index}`, { status: "complete" });
    session.announce("same", { name: "second", status: "running" });
    session.patch("same", { status: "complete" });
    expect(session.tools.filter(({ toolCallId }) => toolCallId === "same")).toMatchObject([
      { status: "cancelled" },
      { name: "second", status: "complete" },
    ]);
  });
});
