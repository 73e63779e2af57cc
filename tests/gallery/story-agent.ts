import { chunk, scriptedAgent } from "../integration/scripted-agent.ts";
import type { AgentSetting } from "../support/test-server.ts";

export const STORY_AGENT = "Claude Code";
/** What the story's agent knows how to do, in the words a person would use. */
export const STORY = {
  whole: "Retries never stop growing. Cap the backoff at a minute and add a test.",
  asks: "Cap the backoff at a minute.",
  streams: "How does the retry loop work?",
  plans: "Plan the move off polling.",
} as const;

const BEFORE = `import { sleep } from "./clock.ts";

const BASE_MS = 500;

/** Delay before the next attempt, in milliseconds. */
export function delayFor(attempt: number): number {
  return BASE_MS * 2 ** attempt;
}
`;
const AFTER = BEFORE.replace("const BASE_MS = 500;", "const BASE_MS = 500;\nconst CAP_MS = 60_000;").replace(
  "return BASE_MS * 2 ** attempt;",
  "return Math.min(CAP_MS, BASE_MS * 2 ** attempt);",
);
const TEST_RUN = [
  "\u001b[1mbun test\u001b[0m v1.4.4",
  "",
  "test/backoff.test.ts:",
  "\u001b[32m(pass)\u001b[0m doubles with every attempt [0.21ms]",
  "\u001b[32m(pass)\u001b[0m never waits longer than a minute [0.05ms]",
  "",
  " \u001b[32m2 pass\u001b[0m",
  " 0 fail",
  "Ran 2 tests across 1 file. [14.00ms]",
].join("\n");
const PLAN = ["Read the retry loop", "Cap the delay", "Add a test for the cap", "Run the tests"];
const SUMMARY = `Retries now wait **at most a minute**. The delay doubled without an end before: attempt 20 would have slept for six days.

| attempt | before | now |
|--:|--:|--:|
| 3 | 4 s | 4 s |
| 7 | 64 s | 60 s |
| 20 | 6 days | 60 s |

\`\`\`ts
return Math.min(CAP_MS, BASE_MS * 2 ** attempt);
\`\`\`

Two things I left alone:

1. \`clock.ts\` has no jitter, so clients still wake together.
2. The cap is a constant; a setting is [easy to add](https://example.com/docs) later.`;
const EXPLANATION = `## The retry loop

Each failed call comes back through \`delayFor\`. It **doubles** the wait with every attempt:

- attempt 0 waits half a second
- attempt 3 waits four seconds
- nothing ever stops it from growing

The loop itself lives in \`src/client.ts\` and gives up only when the caller`;

const text = (words: string) => ({ type: "text", text: words });
const thought = (words: string) => ({ update: { sessionUpdate: "agent_thought_chunk", content: text(words) } });
const call = (toolCallId: string, fields: Record<string, unknown>) => ({
  update: { sessionUpdate: "tool_call", toolCallId, ...fields },
});
const plan = (done: number) => ({
  update: {
    sessionUpdate: "plan",
    entries: PLAN.map((content, index) => ({
      content,
      priority: "medium",
      status: index < done ? "completed" : index === done ? "in_progress" : "pending",
    })),
  },
});

const READ = call("read", {
  title: "Read src/backoff.ts",
  kind: "read",
  status: "completed",
  rawInput: { path: "src/backoff.ts" },
  locations: [{ path: "src/backoff.ts", line: 6 }],
  content: [{ type: "content", content: text(BEFORE) }],
});
const DIFF = { type: "diff", path: "src/backoff.ts", oldText: BEFORE, newText: AFTER };
const EDIT = { title: "Edit src/backoff.ts", kind: "edit", rawInput: { path: "src/backoff.ts" }, content: [DIFF] };
const RUN = call("run", {
  title: "bun test test/backoff.test.ts",
  kind: "execute",
  status: "completed",
  rawInput: { command: "bun test test/backoff.test.ts" },
  content: [{ type: "content", content: text(TEST_RUN) }],
});
const USAGE = {
  update: {
    sessionUpdate: "usage_update",
    used: 31_400,
    size: 200_000,
    cost: { amount: 0.38, currency: "USD" },
  },
};
const OPTIONS = [
  { optionId: "once", name: "Allow once", kind: "allow_once" },
  { optionId: "always", name: "Always allow edits in this session", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

/** An agent process that plays a day's work: every kind of step, and each of them where a picture needs it. */
export function storyAgent(): AgentSetting {
  const opening = [
    thought(
      "The delay is `BASE_MS * 2 ** attempt`, so attempt 20 waits for days. A cap belongs into `delayFor` itself.",
    ),
    chunk("I look at how the delay is computed first."),
    plan(0),
    READ,
  ];
  const scripts = {
    [STORY.whole]: [
      ...opening,
      call("edit", { ...EDIT, status: "completed" }),
      RUN,
      plan(4),
      chunk(SUMMARY),
      USAGE,
      { end: "end_turn" },
    ],
    [STORY.asks]: [
      ...opening,
      plan(1),
      USAGE,
      {
        ask: {
          id: "may-edit",
          method: "session/request_permission",
          params: { toolCall: { toolCallId: "edit", status: "pending", ...EDIT }, options: OPTIONS },
        },
      },
      { end: "end_turn" },
    ],
    [STORY.streams]: [thought("Where does the wait come from?"), READ, USAGE, chunk(EXPLANATION)],
    [STORY.plans]: [
      plan(2),
      chunk("Two of four are done."),
      call("slow", { title: "Search for poll(", kind: "search", status: "in_progress" }),
    ],
  };
  return { ...scriptedAgent({ scripts }), name: STORY_AGENT };
}
