import { describe, expect, it } from "bun:test";
import type { AgentEvent } from "../ports/agents.ts";
import { mergeText } from "./merge-text.ts";

function text(words: string, messageId?: string, kind: "assistant" | "thinking" = "assistant"): AgentEvent {
  return { type: "text", kind, text: words, ...(messageId !== undefined && { messageId }) };
}

const USAGE: AgentEvent = { type: "usage", usage: { used: 1, size: 2 } };

describe("mergeText", () => {
  it("joins neighbours of one kind and one message, in order", () => {
    expect(mergeText([text("a"), text("b"), text("c")])).toEqual([text("abc")]);
    expect(mergeText([text("a", "1"), text("b", "1"), text("c", "2")])).toEqual([text("ab", "1"), text("c", "2")]);
  });

  it("separates different kinds and messages, and text around other events", () => {
    const apart = [text("a"), text("b", undefined, "thinking"), text("c"), text("d", "1"), USAGE, text("e", "1")];
    expect(mergeText(apart)).toEqual(apart);
  });

  it("joins the output of one terminal, and separates that of two", () => {
    const output = (toolCallId: string, words: string): AgentEvent => ({
      type: "tool-output",
      toolCallId,
      text: words,
    });
    const merged = mergeText([output("1", "a"), output("1", "b"), output("2", "c"), text("d"), output("2", "e")]);
    expect(merged).toEqual([output("1", "ab"), output("2", "c"), text("d"), output("2", "e")]);
  });

  it("joins a surrogate pair that an agent split", () => {
    expect(mergeText([text("\ud83d"), text("\ude00")])).toEqual([text("😀")]);
  });

  it("does not modify its input", () => {
    const events = [text("a"), text("b"), USAGE];
    mergeText(events);
    expect(events).toEqual([text("a"), text("b"), USAGE]);
  });
});
