import type { Json } from "../../../src/protocol/json.ts";
import { EMPTY_CONFIG } from "../../../src/protocol/session-parts.ts";
import { mutateJson, nested, type Pool } from "../engine/mutate-json.ts";
import { mutateText } from "../engine/mutate-text.ts";
import type { Source } from "../engine/source.ts";

const sessionId = "builtin:one";
const turn = { state: "running", turnId: "t1", startedAt: "2026-01-01T00:00:00.000Z" };
const entry = {
  type: "tool-call",
  entryId: "e1",
  toolCallId: "c1",
  name: "Run",
  status: "complete",
  content: "",
  input: { command: "ls", deep: [{ a: null }] },
  parts: [
    { type: "diff", path: "a.ts", oldText: null, newText: "x" },
    { type: "unknown", raw: { any: [1] } },
  ],
};
const said = { type: "assistant", entryId: "e2", content: "Hello", timestamp: "2026-01-01T00:00:00.000Z" };
const standing = {
  sessionId,
  seq: 3,
  turn,
  pending: [],
  queue: [{ commandId: "c", content: "next" }],
  queuePaused: false,
  config: { ...EMPTY_CONFIG },
  title: "T",
  titleSource: "user",
  archived: false,
};

export const CLIENT_SAMPLES: readonly Json[] = [
  { type: "project:add", path: "/projects/demo", requestId: "r1" },
  { type: "session:create", projectId: "p", cliType: "builtin", options: { policy: { mode: "ask", rules: [] } } },
  { type: "session:send", sessionId, content: "hi", attachments: [{ type: "text", text: "x" }], commandId: "c1" },
  { type: "session:queue-edit", sessionId, items: [{ commandId: "c", content: "q" }], seen: ["c"] },
  { type: "session:open", sessionId, after: 3, limit: 50 },
  { type: "session:page", sessionId, before: "e1", limit: 10, until: "e0" },
  { type: "session:rename", sessionId, title: " new " },
  { type: "session:configure", sessionId, configId: "mode", value: true },
  { type: "permission:respond", sessionId, permissionId: "p1", optionId: "yes" },
  { type: "elicitation:respond", sessionId, elicitationId: "e", action: "accept", content: { a: 1, b: ["x"] } },
  { type: "search", query: "word", limit: 5 },
  { type: "terminal:resize", terminalId: "t", columns: 80, rows: 24 },
  { type: "policy:set", sessionId, scope: "session", rules: [{ effect: "deny", command: "rm" }], mode: "ask" },
  { type: "agent:install", cliType: "x", version: "1.2.3" },
];

export const SERVER_SAMPLES: readonly Json[] = [
  { type: "session:update", sessionId, seq: 4, entry },
  { type: "session:update", sessionId, seq: 4, entry: said, late: true },
  { type: "session:chunk", sessionId, seq: 5, entryId: "e2", content: "more", field: "content" },
  { type: "session:turn", sessionId, seq: 6, turn },
  { type: "session:raw", sessionId, seq: 7, update: { any: ["thing", { x: 1 }] } },
  {
    type: "permission:resolved",
    sessionId,
    seq: 8,
    permissionId: "p",
    outcome: { outcome: "selected", optionId: "y" },
  },
  { type: "session:history", ...standing, entries: [entry, said], hasMore: true },
  { type: "session:resumed", ...standing },
  { type: "session:page", sessionId, before: "e1", entries: [said], hasMore: false },
  { type: "error", code: "INVALID_MESSAGE", message: "no", fields: { a: "b" } },
  { type: "elicitation:resolved", elicitationId: "e", action: "accept" },
  { type: "agent:status", cliType: "builtin", status: "idle" },
  { type: "files:found", query: "q", files: [{ path: "a", uri: "file:///a" }], isPartial: false },
].map((sample) => JSON.parse(JSON.stringify(sample)));

export const PORTLET_SAMPLES: readonly Json[] = [
  { type: "portlet:ready" },
  { type: "portlet:title", title: "x" },
  { type: "portlet:key", key: "k", modifiers: { ctrl: true, meta: false, shift: false, alt: false } },
  { type: "portlet:show", what: "log" },
  { type: "portlet:output", entryId: "e1", part: 1, name: "n" },
  { type: "portlet:visible", visible: true },
  { type: "portlet:reveal", entryId: "e1" },
  { type: "session:error", message: "no", commandId: "c", fields: { a: "b" } },
  { type: "session:send", sessionId: "builtin:another", content: "hi" },
  { type: "session:create", projectId: "p", cliType: "builtin" },
];

const WORDS = [
  ...new Set([...CLIENT_SAMPLES, ...SERVER_SAMPLES, ...PORTLET_SAMPLES].flatMap((sample) => wordsIn(sample))),
];
const ABYSS_LEVELS = [5_000, 120_000];

/** A frame: a message with something changed in it, the text of one cut or torn, or nested without end. */
export function someFrame(source: Source, samples: readonly Json[]): string {
  const pool: Pool = { samples, words: WORDS };
  let message = source.pick(samples);
  for (let changes = source.below(4); changes > 0; changes -= 1) message = mutateJson(source, message, pool);
  if (source.isOneIn(5_000)) return JSON.stringify({ type: "session:raw", message, update: nested(3_000, null) });
  if (source.isOneIn(20_000)) {
    const levels = source.pick(ABYSS_LEVELS);
    return `{"type":"session:raw","seq":1,"sessionId":"builtin:one","update":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  }
  const text = JSON.stringify(message);
  return source.isOneIn(8) ? mutateText(source, text, ['"__proto__":', "{", "}", "[", "]", ",", '"', "\\u0000"]) : text;
}

function wordsIn(value: Json): string[] {
  if (typeof value === "string") return value.length < 30 ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...wordsIn(inner)]);
}
