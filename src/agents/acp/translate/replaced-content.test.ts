import { expect, test } from "bun:test";
import type { Json } from "../../../protocol/json.ts";
import { translateUpdate } from "./translate-update.ts";
import { ReplacedContent } from "./update-reader.ts";

const TEXT = [{ type: "content", content: { type: "text", text: "about to run" } }];

function outputs(...updates: { readonly [key: string]: Json }[]): (string | undefined)[] {
  const content = new ReplacedContent();
  return updates.flatMap((fields) => {
    const update: Json = { sessionUpdate: "tool_call_update", toolCallId: "call", ...fields };
    return translateUpdate(update).map((event) => {
      const completed = content.complete(event, update);
      return completed.type === "tool" ? completed.patch.result : undefined;
    });
  });
}

test("an empty content takes away the text that was shown", () => {
  expect(outputs({ content: TEXT }, { status: "completed", content: [] })).toEqual(["about to run", ""]);
});

test("an update without content takes nothing away, and an empty one only what was there", () => {
  expect(outputs({ content: TEXT }, { status: "completed" })).toEqual(["about to run", undefined]);
  expect(outputs({ content: [] }, { status: "completed", content: [] })).toEqual([undefined, undefined]);
});
