import type { Entry, Part } from "../../src/protocol/entry.ts";
import { Entry as EntrySchema } from "../../src/protocol/entry.ts";

const AT = "2026-01-01T00:00:00.000Z";

/** A session in which every field of every kind of entry carries the text. */
export function hostileDocument(texts: readonly string[]): object {
  return {
    format: "liminal-builder-session",
    version: 1,
    exportedAt: AT,
    session: {
      title: texts[0]?.slice(0, 200) ?? "hostile",
      titleSource: "user",
      cliType: "builtin",
      agentName: (texts[1] ?? "agent").slice(0, 200),
      projectName: texts[2] ?? "project",
      createdAt: AT,
      lastActiveAt: AT,
      usage: null,
    },
    entries: texts.flatMap(hostileEntries),
  };
}

/** One of each kind, full of the text. */
export function hostileEntries(text: string, index: number): Entry[] {
  const id = (name: string) => `${name}-${index}`;
  return [
    { type: "user", entryId: id("u"), content: text, attachments: hostileParts(text), timestamp: AT },
    { type: "thinking", entryId: id("t"), content: text },
    { type: "assistant", entryId: id("a"), content: text, timestamp: AT, parts: hostileParts(text) },
    {
      type: "tool-call",
      entryId: id("c"),
      toolCallId: text,
      name: text,
      kind: text,
      status: "error",
      content: text,
      result: text,
      error: `${text}!`,
      input: { [text]: text },
      parts: hostileParts(text),
      locations: [{ path: text, line: 1 }],
      permission: { answer: "denied", by: "policy", why: text },
    },
    { type: "plan", entryId: id("p"), content: text, items: [{ content: text, priority: text, status: text }] },
    { type: "notice", entryId: id("n"), severity: "warning", content: text },
    {
      type: "changes",
      entryId: id("f"),
      content: text,
      before: "b",
      after: "a",
      total: 3,
      added: 1,
      removed: 1,
      files: [{ path: text.slice(0, 1_000) || "-", status: "modified", added: 1, removed: 1 }],
      leftOut: [{ path: text, reason: "ignored" }],
      timestamp: AT,
    },
  ].map((entry) => EntrySchema.parse(entry));
}

function hostileParts(text: string): Part[] {
  return [
    { type: "text", text },
    { type: "diff", path: text, oldText: text, newText: `${text}\n${text}` },
    { type: "image", mimeType: text, data: text },
    { type: "image", mimeType: "image/png", data: `AAAA" onload="alert(1)` },
    { type: "image", mimeType: "image/svg+xml", data: "PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+" },
    { type: "audio", mimeType: `audio/wav;${text}`, data: "AAAA" },
    { type: "link", uri: text, name: text, title: text },
    { type: "link", uri: "javascript:alert(1)", name: "click" },
    { type: "resource", uri: text, text },
    { type: "terminal", terminalId: text },
    { type: "unknown", raw: { [text]: [text] } },
  ];
}
