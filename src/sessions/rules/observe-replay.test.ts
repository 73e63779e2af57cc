import { describe, expect, it } from "bun:test";
import { PureSession } from "../../../tests/core/pure-session.ts";
import type { AgentEvent } from "../../ports/agents.ts";

const user = (text: string, messageId?: string): AgentEvent => ({
  type: "text",
  kind: "user",
  text,
  ...(messageId !== undefined && { messageId }),
});
const says = (text: string): AgentEvent => ({ type: "text", kind: "assistant", text });
const replayed = (...events: AgentEvent[]): AgentEvent => ({ type: "replayed", events, whole: true });

/** A session with these messages and answers, without a running turn. */
function talk(...turns: (readonly [string, string])[]): PureSession {
  const session = new PureSession();
  for (const [message, answer] of turns) {
    session.start(message);
    session.text(answer);
    session.end();
  }
  return session;
}

const TALK = [
  ["Hello there", "General."],
  ["And what happens now?", "It is done."],
] as const;
const SAME = TALK.flatMap(([message, answer]) => [user(message), says(answer)]);
const NEWS = [user("Said in a terminal"), says("Heard there.")];
const told = (session: PureSession) => session.told.slice(TALK.length * 2);

describe("a restored conversation (W-4)", () => {
  it.each<[string, AgentEvent[]]>([
    ["word for word", SAME],
    [
      "in other pieces and spaces",
      [user("Hello", "m"), user(" there", "m"), says("Gen"), says("eral.\n"), ...SAME.slice(2)],
    ],
    ["without its answers", [user("Hello there"), user("And what happens now?")]],
    [
      "with what only machines say",
      [user("<session_context>\nToday\n</session_context>"), ...SAME, user("[Function Response: replace]")],
    ],
    [
      "with a text that a failed turn made the agent hear twice",
      [...SAME.slice(0, 2), user("And what happens now?"), user("And what happens now?"), says("It is done.")],
    ],
    [
      "with tools in it",
      [...SAME.slice(0, 3), { type: "tool", patch: { toolCallId: "t", announced: true } }, ...SAME.slice(3)],
    ],
    [
      "with a last message that stands in the middle of more",
      [...SAME.slice(0, 2), user("Context: And what happens now? End"), says("It is done.")],
    ],
    ["not at all", []],
  ])("adds nothing if the agent remembers it %s", (_, events) => {
    const session = talk(...TALK);
    expect(session.since(() => session.hear(replayed(...events)))).toEqual([]);
  });

  it("quirk: gemini's replay leaks context, calls and results as text, and loses a message that was stopped", () => {
    const session = talk(...TALK);
    session.start("Stopped").end("cancelled");
    session.start("Third").text("3.");
    session.end();
    const events = [
      user("<session_context>\nThis is the Gemini CLI.\n</session_context>"),
      user("Hello there"),
      says("[Thought: true]General."),
      user("And what happens now?"),
      says("[Function Call: replace]"),
      user("[Function Response: replace]"),
      says("It is done."),
      user("Third"),
      says("3."),
    ];
    session.hear(replayed(...events));
    const before = session.entries.length;
    expect(session.told.at(-1)).toEqual(["notice", expect.stringContaining("lacks 1 of your messages")]);
    session.hear(replayed(...events, user("Fourth"), says("[Function Call: x]"), says("[Thought: true]4.")));
    expect(session.told.slice(before)).toEqual([
      ["user", "Fourth"],
      ["assistant", "4."],
    ]);
  });

  it("adopts messages sent elsewhere, once, at the end, with nothing left running", () => {
    const session = talk(...TALK);
    const tool: AgentEvent = {
      type: "tool",
      patch: { toolCallId: "t", announced: true, name: "Read", status: "running" },
    };
    const events = [...SAME, user("yes"), says("Yes."), tool, user("yes"), says("Again.")];
    session.hear(replayed(...events));
    expect(told(session)).toEqual([
      ["user", "yes"],
      ["assistant", "Yes."],
      ["tool-call", ""],
      ["user", "yes"],
      ["assistant", "Again."],
    ]);
    expect(session.tools.map(({ status }) => status)).toEqual(["cancelled"]);
    expect(session.state.turn.state).toBe("idle");
    expect(
      session
        .start("next")
        .end()
        .since(() => session.hear(replayed(...events, user("next")))),
    ).toEqual([]);
  });

  it("puts them before the message that is waiting for the agent, and leaves that turn unchanged", () => {
    const session = talk(...TALK).start("Third");
    session.hear(
      replayed(...SAME, ...NEWS, { type: "plan", items: [{ content: "old", priority: "low", status: "completed" }] }),
    );
    session.hear({ type: "plan", items: [{ content: "new", priority: "low", status: "pending" }] });
    session.text("Answer.");
    session.end();
    expect(told(session)).toEqual([
      ["user", "Said in a terminal"],
      ["assistant", "Heard there."],
      ["plan", "- [x] old"],
      ["user", "Third"],
      ["plan", "- [ ] new"],
      ["assistant", "Answer."],
    ]);
    const [first] = session.entries.slice(TALK.length * 2);
    expect(first?.turnId).not.toBe(session.entries.at(-1)?.turnId);
  });

  it("a turn without output still marks its message as complete, whatever was adopted before it", () => {
    const session = talk(...TALK).start("Third");
    session.hear(replayed(...SAME, ...NEWS));
    const asked = session.entries.at(-1)?.entryId;
    expect(session.since(() => session.end())[0]).toMatchObject({ type: "session:complete", entryId: asked });
  });

  it("keeps ours and adds one notice if the agent remembers less", () => {
    const session = talk(...TALK, ["Third", "3."]);
    session.hear(replayed(...SAME));
    expect(told(session).slice(2)).toEqual([["notice", expect.stringContaining("lacks 1 of your messages")]]);
    expect(session.since(() => session.hear(replayed(...SAME)))).toEqual([]);
  });

  it("finds new messages even if the agent has lost the beginning", () => {
    const session = talk(...TALK);
    session.hear(replayed(...SAME.slice(2), ...NEWS));
    expect(told(session)).toEqual([
      ["user", "Said in a terminal"],
      ["assistant", "Heard there."],
      ["notice", expect.stringContaining("lacks 1 of your messages")],
    ]);
  });

  it.each<[string, AgentEvent[], string]>([
    ["another answer", [...SAME.slice(0, 3), says("Nothing of the kind.")], "differs"],
    ["another message", [...SAME.slice(0, 2), ...NEWS], "history lacks 1"],
    ["nothing of it", NEWS, "history lacks 2"],
  ])("keeps ours, adopts nothing and adds a notice if the agent remembers %s", (_, events, words) => {
    const session = talk(...TALK);
    session.hear(replayed(...events));
    expect(told(session)).toEqual([["notice", expect.stringContaining(words)]]);
  });

  it("matches as many messages as possible, in order, before it calls any of them lost or new", () => {
    const turns = ["one", "two", "three", "four"].map((word) => [`Message ${word}`, `Answer ${word}.`] as const);
    const heard = (...nths: number[]) =>
      nths.flatMap((nth) => [user(turns[nth]?.[0] ?? ""), says(turns[nth]?.[1] ?? "")]);
    const noticesAfter = (...nths: number[]) => {
      const session = talk(...turns);
      const before = session.told.length;
      session.hear(replayed(...heard(...nths), ...NEWS));
      return session.told.slice(before).map(([type, content]) => (type === "notice" ? content : type));
    };
    const lost = (count: number) => expect.stringContaining(`lacks ${count} of your messages`);
    // The third is replayed before the first, too: matching it there would lose the first.
    expect(noticesAfter(2, 0, 2, 3)).toEqual(["user", "assistant", lost(1)]);
    expect(noticesAfter(1, 3)).toEqual(["user", "assistant", lost(2)]);
    expect(noticesAfter(3, 2, 1, 3)).toEqual(["user", "assistant", lost(2)]);
    // The last of ours is not remembered: what follows may stand in its place, and is not adopted.
    expect(noticesAfter(1, 2)).toEqual([lost(2)]);
    expect(noticesAfter(3, 0, 1, 2)).toEqual([lost(1)]);
  });

  it.each<[string, AgentEvent[], string[]]>([
    ["the last message and answer again, and more", [...SAME.slice(2), ...NEWS], ["user", "assistant"]],
    ["the last message without an answer, and more", [user("And what happens now?"), ...NEWS], ["user", "assistant"]],
    [
      "the last answer to a message in other words",
      [user("Now?"), says("It is done."), ...NEWS],
      ["user", "assistant"],
    ],
    ["the last message with another answer", [user("And what happens now?"), says("Else.")], ["user", "assistant"]],
    ["a message of its own, still without an answer", [user("Said in a terminal")], ["user"]],
    ["nothing more than a repetition", [...SAME.slice(2), user("And what happens now?")], []],
  ])("after all of ours, adopts what is new in %s", (_, events, adopted) => {
    const session = talk(...TALK);
    session.hear(replayed(...SAME, ...events));
    expect(told(session).map(([type]) => String(type))).toEqual(adopted);
  });

  it("aligns by the end alone if the beginning was too long to keep", () => {
    const session = talk(...TALK);
    session.hear({ type: "replayed", events: [...SAME.slice(2), ...NEWS], whole: false });
    expect(told(session).map(([type]) => type)).toEqual(["user", "assistant"]);
  });
});
