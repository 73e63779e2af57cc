import { describe, expect, it } from "bun:test";
import { PureSession } from "../../../tests/core/pure-session.ts";
import { ENTRY_CHARS_MAX } from "./observe-text.ts";

function started(): PureSession {
  return new PureSession().start();
}

function typesOf(facts: readonly { type: string }[]): string[] {
  return facts.map(({ type }) => type);
}

const IMAGE = { type: "image", mimeType: "image/png", data: "AAAA" } as const;

describe("text of a turn", () => {
  it("starts an entry and grows it by chunks while nothing comes between", () => {
    const session = started();
    const facts = session.since(() => {
      session.text("Hel");
      session.text("lo");
    });
    expect(typesOf(facts)).toEqual(["session:update", "session:chunk"]);
    expect(session.entries.at(-1)).toMatchObject({
      type: "assistant",
      content: "Hello",
      turnId: session.turn,
      timestamp: "2026-01-01T00:00:00.000Z",
    });
  });

  it("an empty piece is ignored", () => {
    const session = started();
    expect(session.since(() => session.text(""))).toEqual([]);
    session.text("a");
    expect(session.since(() => session.text("", undefined, "thinking"))).toEqual([]);
  });

  it("without ids, another kind starts another entry and completes the one before", () => {
    const session = started();
    session.text("hm", undefined, "thinking");
    const facts = session.since(() => session.text("so"));
    expect(typesOf(facts)).toEqual(["session:complete", "session:update"]);
    expect(facts[0]).toMatchObject({ entryId: session.entries[1]?.entryId });
    session.text("hm again", undefined, "thinking");
    expect(session.told.slice(1)).toEqual([
      ["thinking", "hm"],
      ["assistant", "so"],
      ["thinking", "hm again"],
    ]);
  });

  it("with ids, another id starts another entry of the same kind; the same id continues it", () => {
    const session = started();
    for (const [text, id] of [
      ["a", "1"],
      ["b", "1"],
      ["c", "2"],
      ["d", undefined],
      ["e", undefined],
    ] as const)
      session.text(text, id);
    expect(session.told.slice(1)).toEqual([
      ["assistant", "ab"],
      ["assistant", "c"],
      ["assistant", "de"],
    ]);
  });

  it("text before and after a tool call are two entries, in order, even of one message", () => {
    const session = started();
    session.text("before", "m");
    session.announce("1");
    session.text("after", "m");
    expect(session.told.slice(1)).toEqual([
      ["assistant", "before"],
      ["tool-call", ""],
      ["assistant", "after"],
    ]);
  });

  it("an image is between the texts, complete at once", () => {
    const session = started();
    session.text("see ");
    const facts = session.since(() => session.hear({ type: "part", kind: "assistant", part: IMAGE }));
    expect(typesOf(facts)).toEqual(["session:complete", "session:update", "session:complete"]);
    session.text("nice");
    expect(session.told.slice(1)).toEqual([
      ["assistant", "see "],
      ["assistant", ""],
      ["assistant", "nice"],
    ]);
    expect(session.entries[2]).toMatchObject({ parts: [IMAGE] });
  });

  it("a text is marked as complete exactly once, whatever ends it", () => {
    const ends = [
      (session: PureSession) => session.text("other", "2"),
      (session: PureSession) => session.announce("1"),
      (session: PureSession) => session.hear({ type: "plan", items: [] }),
      (session: PureSession) => session.hear({ type: "notice", severity: "info", content: "n" }),
      (session: PureSession) => session.hear({ type: "part", kind: "assistant", part: IMAGE }),
      (session: PureSession) => session.end(),
      (session: PureSession) => session.end("cancelled"),
    ];
    for (const act of ends) {
      const session = started();
      session.text("text");
      act(session);
      if (session.state.turn.state !== "idle") session.end();
      const closed = session.facts.flatMap((fact) =>
        fact.type === "session:complete" || fact.type === "session:cancelled" ? [fact.entryId] : [],
      );
      expect(closed).toEqual([...new Set(closed)]);
      expect(closed).toContainAllValues(
        session.entries.flatMap((entry) => (entry.type === "assistant" ? [entry.entryId] : [])),
      );
    }
  });
});

describe("text after its turn (W-12)", () => {
  it("revises the message it belongs to, by the agent's id, as a late update", () => {
    const session = started();
    session.text("in time, ", "m");
    session.announce("1", { status: "complete" });
    session.end();
    const facts = session.since(() => session.text("late", "m"));
    expect(facts).toMatchObject([{ type: "session:update", late: true, entry: { content: "in time, late" } }]);
    expect(session.told).toHaveLength(3);
    expect(session.state.turn.state).toBe("idle");
  });

  it("without ids it belongs to the answer it follows", () => {
    const session = started();
    session.text("in time, ");
    session.end();
    session.text("late");
    expect(session.told).toEqual([
      ["user", "go"],
      ["assistant", "in time, late"],
    ]);
  });

  it("without a matching message is a complete entry of its own, of no turn", () => {
    const session = started();
    session.announce("1", { status: "complete" });
    session.end();
    const facts = session.since(() => session.text("out of the blue"));
    expect(typesOf(facts)).toEqual(["session:update", "session:complete"]);
    expect(session.entries.at(-1)).toMatchObject({ type: "assistant", content: "out of the blue" });
    expect(session.entries.at(-1)?.turnId).toBeUndefined();
  });

  it("of another kind, or of an answer that has an id, is not appended to the last entry", () => {
    const session = started();
    session.text("answer");
    session.end();
    session.text("thought", undefined, "thinking");
    expect(session.told.at(-1)).toEqual(["thinking", "thought"]);
    const other = started();
    other.text("answer", "m");
    other.end();
    other.text("no id");
    expect(other.told.slice(1)).toEqual([
      ["assistant", "answer"],
      ["assistant", "no id"],
    ]);
  });

  it("the first text of a turn never grows the answer of the turn before", () => {
    const session = started();
    session.text("first answer");
    session.end("max_tokens");
    session.start("more");
    session.text("second answer");
    session.hear({ type: "turn-failed", turnId: session.turn, error: { code: "X", message: "failed" } });
    session.tell({ type: "session:retry" });
    session.text("third answer");
    expect(session.told.filter(([type]) => type !== "notice")).toEqual([
      ["user", "go"],
      ["assistant", "first answer"],
      ["user", "more"],
      ["assistant", "second answer"],
      ["assistant", "third answer"],
    ]);
  });
});

describe("messages in the user's name", () => {
  it("drops the echo of the prompt, whole or in pieces, and keeps other text", () => {
    const session = new PureSession().start("fix the build, please");
    const facts = session.since(() => {
      for (const text of ["fix the build, please", "fix the ", " build,", " "]) session.text(text, undefined, "user");
    });
    expect(facts).toEqual([]);
    session.text("something else", undefined, "user");
    expect(session.told).toEqual([
      ["user", "fix the build, please"],
      ["user", "something else"],
    ]);
  });

  it("drops the echo of an attachment, and keeps another one", () => {
    const session = new PureSession();
    session.tell({ type: "session:send", content: "look", attachments: [IMAGE] });
    const echo = { type: "image", data: IMAGE.data, mimeType: IMAGE.mimeType } as const;
    expect(session.since(() => session.hear({ type: "part", kind: "user", part: echo }))).toEqual([]);
    session.hear({ type: "part", kind: "user", part: { ...IMAGE, data: "BBBB" } });
    expect(session.entries.at(-1)).toMatchObject({ type: "user", attachments: [{ data: "BBBB" }] });
  });
});

describe("a text over the limit of one entry", () => {
  const length = (session: PureSession) => session.entries.slice(1).map(({ content }) => content.length);

  it("continues in further entries, each complete before the next, without losing text", () => {
    const session = started();
    const words = Array.from({ length: 310_000 }, (_, index) => `w${index} `).join("");
    session.text(words, "m");
    session.text("end", "m");
    expect(length(session)).toEqual([ENTRY_CHARS_MAX, ENTRY_CHARS_MAX, words.length + 3 - 2 * ENTRY_CHARS_MAX]);
    expect(
      session.entries
        .slice(1)
        .map(({ content }) => content)
        .join(""),
    ).toBe(`${words}end`);
    expect(typesOf(session.facts.slice(-6))).toEqual([
      "session:update",
      "session:complete",
      "session:update",
      "session:complete",
      "session:update",
      "session:chunk",
    ]);
  });

  it("fills up the open entry to the last character first", () => {
    const session = started();
    session.text("x".repeat(ENTRY_CHARS_MAX - 2));
    session.text("abcd");
    expect(length(session)).toEqual([ENTRY_CHARS_MAX, 2]);
    expect(session.entries.at(-1)?.content).toBe("cd");
  });

  it("never splits a surrogate pair, at the end of a full entry and inside a long piece", () => {
    const session = started();
    session.text("x".repeat(ENTRY_CHARS_MAX - 1));
    session.text("😀!");
    expect(length(session)).toEqual([ENTRY_CHARS_MAX - 1, 3]);
    const long = started();
    long.text(`x${"😀".repeat(ENTRY_CHARS_MAX)}`);
    const pieces = long.entries.slice(1).map(({ content }) => content);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join("")).toBe(`x${"😀".repeat(ENTRY_CHARS_MAX)}`);
  });

  it("applies to late text, too, and later late text goes to the newest piece", () => {
    const session = started();
    session.text("x".repeat(ENTRY_CHARS_MAX - 1), "m");
    session.end();
    session.text("ab", "m");
    session.text("c", "m");
    expect(length(session)).toEqual([ENTRY_CHARS_MAX, 2]);
    expect(session.entries.at(-1)?.content).toBe("bc");
  });
});
