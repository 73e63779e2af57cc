import { expect, it } from "bun:test";
import type { Entry, UserEntry } from "./entry.ts";
import { CommandId, EntryId, SessionId } from "./ids.ts";
import { isSessionMentioned, mentionedSession, sessionMention } from "./session-mention.ts";

const OTHER = SessionId.parse("claude-code:7/ü%2F");
const said = (more: Partial<UserEntry>): Entry => ({
  type: "user",
  entryId: EntryId.parse("e-1"),
  content: "as in @Fix the parser",
  timestamp: "2026-11-18T06:00:00.000Z",
  commandId: CommandId.parse("c-1"),
  attachments: [sessionMention(OTHER, "Fix the parser")],
  ...more,
});

it("a mention is a link that names its session, whatever its id contains", () => {
  const { uri, name } = sessionMention(OTHER, "  Fix\nthe   parser ");
  expect(mentionedSession(uri)).toBe(OTHER);
  expect(name).toBe("Fix the parser");
  expect(sessionMention(OTHER, " ").name).toBe(OTHER);
});

it("other links name no session", () => {
  for (const uri of ["file:///a", "liminal://session/", "liminal://session/%E0%A4%A", "liminal://conversation/a:1"])
    expect(mentionedSession(uri)).toBeNull();
});

it("a session counts as mentioned only by a message that the user sent", () => {
  expect(isSessionMentioned([said({})], OTHER)).toBe(true);
  expect(isSessionMentioned([said({})], SessionId.parse("claude-code:8"))).toBe(false);
  expect(isSessionMentioned([said({ author: "parent" })], OTHER)).toBe(false);
  expect(isSessionMentioned([said({ parentToolCallId: "call-1" })], OTHER)).toBe(false);
  const { commandId: _, ...replayed } = said({}) as UserEntry;
  expect(isSessionMentioned([replayed], OTHER)).toBe(false);
  const uri = sessionMention(OTHER, "x").uri;
  expect(isSessionMentioned([said({ attachments: [], content: uri })], OTHER)).toBe(false);
});
