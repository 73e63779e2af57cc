import { expect, test } from "bun:test";
import type { Entry } from "../../protocol/entry.ts";
import { EntryId } from "../../protocol/ids.ts";
import { recallMessage, takeMessage } from "./said-messages.ts";

const said = (id: string, content: string): Entry => ({
  type: "user",
  entryId: EntryId.parse(id),
  content,
  timestamp: "",
});
const answer: Entry = { type: "assistant", entryId: EntryId.parse("a"), content: "no", timestamp: "" };
const ENTRIES = [said("1", "first"), answer, said("2", "again"), said("3", "again"), answer, said("4", "")];

test("[X-6] own messages come back one by one, repeats and empty ones counted once", () => {
  const text = (back: number) => recallMessage(ENTRIES, back);
  expect(text(1)).toEqual({ type: "recalled", text: "again", back: 1 });
  expect(text(2)).toEqual({ type: "recalled", text: "first", back: 2 });
  expect(text(3)).toBeNull();
  expect(text(0)).toEqual({ type: "recalled", text: "", back: null });
});

test("[X-6] any message can be taken to be sent anew, an answer cannot", () => {
  expect(takeMessage(ENTRIES, "1")).toEqual({ type: "message-taken", content: "first", attachments: undefined });
  expect(takeMessage(ENTRIES, "a")).toBeNull();
  expect(takeMessage(ENTRIES, "unknown")).toBeNull();
});
