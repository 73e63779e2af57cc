import { expect, test } from "bun:test";
import type { AgentEvent } from "../../../ports/agents.ts";
import { BlankStarts } from "./update-reader.ts";

function said(...events: AgentEvent[]): string[] {
  const blanks = new BlankStarts();
  return events
    .filter((event) => !blanks.isBlank(event))
    .flatMap((event) => (event.type === "text" ? [event.text] : []));
}

function thought(text: string, messageId: string): AgentEvent {
  return { type: "text", kind: "thinking", text, messageId };
}

test("empty lines before a thought are left out, those inside it stay", () => {
  expect(said(thought("\n\n", "a"), thought("First.", "a"), thought("\n\n", "a"), thought("Second.", "a"))).toEqual([
    "First.",
    "\n\n",
    "Second.",
  ]);
});

test("empty lines before the next message are left out as well", () => {
  expect(said(thought("First.", "a"), thought("\n", "b"), thought("Second.", "b"))).toEqual(["First.", "Second."]);
});

test("what is said between two pieces makes the second a start, unless it is only news", () => {
  const plan: AgentEvent = { type: "plan", items: [] };
  const usage: AgentEvent = { type: "usage", usage: { used: 1, size: 2 } };
  expect(said(thought("One.", "a"), plan, thought("\n", "a"), thought("Two.", "a"))).toEqual(["One.", "Two."]);
  expect(said(thought("One.", "a"), usage, thought("\n", "a"), thought("Two.", "a"))).toEqual(["One.", "\n", "Two."]);
});

test("what is no text is never left out", () => {
  const blanks = new BlankStarts();
  const events: AgentEvent[] = [
    { type: "plan", items: [] },
    { type: "usage", usage: { used: 1, size: 2 } },
  ];
  expect(events.filter((event) => !blanks.isBlank(event))).toEqual(events);
});
