import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Entry } from "../../src/protocol/entry.ts";
import { CommandId, EntryId } from "../../src/protocol/ids.ts";
import type { SessionConfig } from "../../src/protocol/session-parts.ts";
import { AXE } from "../e2e/axe-violations.ts";
import { type OpenPortlet, openPortlet, painted } from "./open-portlet.ts";
import {
  assistant,
  Facts,
  history,
  permission,
  RUNNING,
  SESSION,
  TURN,
  thinking,
  tool,
  user,
  WAITING,
} from "./scene.ts";

const ANSWER = [
  "# Title",
  "Text with `code`, **weight** and a [link](https://example.com).",
  "| a | b |\n|---|--:|\n| 1 | 2 |",
  `\`\`\`ts\nconst a = 1; // ${"a long line ".repeat(20)}\n\`\`\``,
].join("\n\n");
const ENTRIES: readonly Entry[] = [
  user("u", "Hello"),
  thinking("k", "Thinking **hard**"),
  tool("t", "Edit a.ts", { kind: "edit", parts: [{ type: "diff", path: "a.ts", oldText: "a\nb", newText: "a\nc" }] }),
  tool("r", "make", {
    kind: "execute",
    input: { command: "make" },
    status: "error",
    error: "exit 2",
    result: `\u001b[31m${"red ".repeat(60)}\u001b[0m`,
  }),
  tool("c", "sleep 9", { status: "cancelled" }),
  assistant("a", ANSWER),
  {
    type: "plan",
    entryId: EntryId.parse("p"),
    turnId: TURN,
    content: "",
    items: ["completed", "in_progress", "pending"].map((status) => ({ content: status, priority: "high", status })),
  },
  { type: "notice", entryId: EntryId.parse("n"), turnId: TURN, severity: "warning", content: "Careful." },
];
const CONFIG: SessionConfig = {
  options: [
    { type: "select", id: "mode", name: "Mode", currentValue: "a", options: [{ value: "a", name: "Ask" }] },
    { type: "boolean", id: "web", name: "Web search", currentValue: true },
  ],
  commands: [],
  usage: { used: 62_410, size: 200_000, cost: { amount: 0.84, currency: "USD" } },
};

for (const theme of ["dark", "light"]) {
  describe(`[X-15] no violation in the ${theme} theme`, () => {
    let portlet: OpenPortlet;
    beforeAll(async () => {
      portlet = await openPortlet({ width: 900, height: 800 }, theme);
      await portlet.frame.evaluate(`${AXE}; 0`);
      await portlet.show(SESSION, { type: "agent:status", status: "connected" });
    });
    afterAll(() => portlet[Symbol.asyncDispose]());
    afterEach(async () => expect(await portlet.problems()).toEqual([]));

    /** The violations as "rule: element", which is what one needs to mend them. */
    const violations = () =>
      portlet.frame.evaluate<string[]>(`axe.run(document).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`);

    test("in an empty session", async () => {
      await portlet.show(history([]));
      expect(await violations()).toEqual([]);
    });

    test("in a session that waits, with everything open", async () => {
      const queue = [{ commandId: CommandId.parse("q"), content: "next" }];
      const pending = [permission("p", "rm -rf dist")];
      await portlet.show(
        history(ENTRIES, { seq: 1_001, turn: WAITING, config: CONFIG, pending, queue, queuePaused: true }),
      );
      for (const id of ["k", "t", "r"]) await portlet.frame.locator(`[data-entry-id="${id}"] > button`).click();
      await painted(portlet.frame);
      expect(await violations()).toEqual([]);
    });

    test("in a session that works, and in one whose agent is gone", async () => {
      const facts = new Facts();
      await portlet.show(history(ENTRIES, { seq: 1_000, turn: RUNNING }), facts.update(assistant("b", "Grow")));
      expect(await violations()).toEqual([]);
      await portlet.show(
        { type: "agent:status", status: "disconnected", message: "Gone." },
        { type: "session:error", message: "No." },
      );
      expect(await violations()).toEqual([]);
    });
  });
}
