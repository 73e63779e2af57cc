import { describe, expect, it } from "bun:test";
import { PureSession } from "../../../tests/core/pure-session.ts";
import { SHOWN_CHARS_MAX } from "../../protocol/shown-text.ts";

function started(): PureSession {
  return new PureSession().start();
}

const DIFF = { type: "diff", path: "/project/a.ts", oldText: null, newText: "new" } as const;

describe("the output of a running tool", () => {
  it("is sent as the new part while it only grows", () => {
    const session = started();
    session.announce("1");
    const facts = session.since(() => {
      session.patch("1", { result: "line 1\n" });
      session.patch("1", { result: "line 1\nline 2\n" });
      session.patch("1", { result: "line 1\nline 2\n" });
    });
    const entryId = session.tools[0]?.entryId;
    expect(facts).toMatchObject([
      { type: "session:chunk", entryId, field: "result", content: "line 1\n" },
      { type: "session:chunk", entryId, field: "result", content: "line 2\n" },
    ]);
    expect(session.tools[0]?.result).toBe("line 1\nline 2\n");
  });

  it("is replaced if it changed, shrank, or came with something else", () => {
    const session = started();
    session.announce("1");
    session.patch("1", { result: "abc" });
    for (const [patch, result] of [
      [{ result: "xyz" }, "xyz"],
      [{ result: "x" }, "x"],
      [{ result: "xy", name: "Named" }, "xy"],
      [{ result: "xyz", parts: [DIFF] }, "xyz"],
      [{ result: "xyz!", status: "complete" }, "xyz!"],
    ] as const) {
      const facts = session.since(() => session.patch("1", patch));
      expect(facts).toMatchObject([{ type: "session:update", entry: { result } }]);
    }
  });

  it("W-11 terminal output is added to the call that shows it, and to no other", () => {
    const session = started();
    session.announce("1", { result: "$ ls\n" });
    const facts = session.since(() => {
      session.hear({ type: "tool-output", toolCallId: "1", text: "a.ts\n" });
      session.hear({ type: "tool-output", toolCallId: "nobody", text: "lost" });
    });
    expect(facts).toMatchObject([{ type: "session:chunk", field: "result", content: "a.ts\n" }]);
    expect(session.tools).toMatchObject([{ result: "$ ls\na.ts\n" }]);
  });

  it("X-7 over the limit shows its beginning and its end, states how much is missing, and is stored in full separately", () => {
    const session = started();
    session.announce("1");
    const output = `first${"x".repeat(SHOWN_CHARS_MAX)}last`;
    session.patch("1", { result: output });
    const [tool] = session.tools;
    const shown = tool?.result ?? "";
    expect(shown).toStartWith("firstxxx");
    expect(shown).toEndWith("xxxlast");
    expect(shown).toMatch(/\[… \d+ characters left out …\]/);
    expect(shown.length).toBeLessThanOrEqual(SHOWN_CHARS_MAX);
    expect(tool?.truncated?.totalChars).toBe(output.length);
    expect(session.outputs.get(tool?.entryId ?? "")).toBe(output);
  });

  it("X-7 that streams past the limit is sent once: every fact has only the new part", () => {
    const session = started();
    session.announce("1");
    const piece = "0123456789abcdef".repeat(1_024);
    let whole = "";
    const sizes: number[] = [];
    for (let round = 0; round < 40; round += 1) {
      whole += `${round}:${piece}`;
      const facts = session.since(() =>
        round % 2 === 0
          ? session.patch("1", { result: whole })
          : session.hear({ type: "tool-output", toolCallId: "1", text: `${round}:${piece}` }),
      );
      sizes.push(JSON.stringify(facts).length);
    }
    const [tool] = session.tools;
    expect(session.outputs.get(tool?.entryId ?? "")).toBe(whole);
    expect(Math.max(...sizes)).toBeLessThan(2 * piece.length);
    expect(tool?.result).toStartWith("0:0123");
    expect(tool?.result).toEndWith(piece);
    expect(tool?.truncated?.totalChars).toBe(whole.length);
  });

  it("X-7 one giant piece of a running command's output is cut in the fact, and stored in full", () => {
    const session = started();
    session.announce("1", { result: "start\n" });
    const giant = "y".repeat(3_000_000);
    const facts = session.since(() => session.hear({ type: "tool-output", toolCallId: "1", text: giant }));
    expect(JSON.stringify(facts).length).toBeLessThan(2 * SHOWN_CHARS_MAX);
    expect(session.outputs.get(session.tools[0]?.entryId ?? "")).toBe(`start\n${giant}`);
    session.patch("1", { status: "complete" });
    expect(session.tools).toMatchObject([{ status: "complete", truncated: { totalChars: giant.length + 6 } }]);
  });

  it("X-7 parts too large to show are shortened and stored in full, the others stay", () => {
    const session = started();
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
    const oldText = lines.join("\n");
    const change = { ...DIFF, oldText, newText: lines.with(15_000, "changed").join("\n"), firstLine: 1 };
    const { firstLine: _, ...unplaced } = change;
    session.announce("1", { parts: [DIFF, change, unplaced] });
    const [tool] = session.tools;
    const [small, short, shortUnplaced] = tool?.parts ?? [];
    expect(small).toEqual(DIFF);
    expect(shortUnplaced).toMatchObject({ type: "diff", truncated: { tailChars: 0 } });
    expect(shortUnplaced).not.toHaveProperty("firstLine");
    expect(short).toMatchObject({ type: "diff", firstLine: 14_981, truncated: { tailChars: 0 } });
    expect(JSON.stringify(short).length).toBeLessThan(2_000);
    expect(short?.type === "diff" && short.newText).toContain("line 14999\nchanged\nline 15001");
    expect(JSON.parse(session.outputs.get(`${tool?.entryId}/1`) ?? "")).toEqual(change);
  });
});
