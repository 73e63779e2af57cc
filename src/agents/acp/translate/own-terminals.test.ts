import { expect, test } from "bun:test";
import type { Json } from "../../../protocol/json.ts";
import { translateUpdate } from "./translate-update.ts";
import { OwnTerminals } from "./update-reader.ts";

type Update = { readonly [key: string]: Json };

/** What the updates of one call say of its output, in turn: a text replaces it, one after "+" is added to it. */
function outputs(...updates: Update[]): (string | undefined)[] {
  const terminals = new OwnTerminals();
  return updates.flatMap((fields) => {
    const update: Json = { sessionUpdate: "tool_call_update", toolCallId: "call", ...fields };
    return translateUpdate(update)
      .flatMap((event) => terminals.complete(event, update))
      .map((event) =>
        event.type === "tool-output" ? `+${event.text}` : event.type === "tool" ? event.patch.result : undefined,
      );
  });
}

function printed(data: string): Update {
  return { _meta: { terminal_output_delta: { terminal_id: "call", data } } };
}

test("what an agent's own terminal prints grows into the call's output, and its end keeps it", () => {
  const ended = { status: "completed", rawOutput: { output: "all over again" } };
  expect(outputs(printed("one\n"), printed("two\n"), ended)).toEqual(["one\n", "+two\n", undefined]);
});

test("an update that says nothing about output leaves it as it is", () => {
  expect(outputs(printed("one\n"), { title: "A better title" })).toEqual(["one\n", undefined]);
});

test("output that comes with the end counts", () => {
  expect(outputs({ status: "completed", _meta: { terminal_output: { data: "all of it" } } })).toEqual(["all of it"]);
});

test("a command that fails without a word says its exit code", () => {
  expect(outputs({ status: "failed", _meta: { terminal_exit: { exit_code: 7 } } })).toEqual(["Exit code 7"]);
});

test("X-7 endless output travels once, piece by piece, also after the call's end", () => {
  const many = "x".repeat(400_000);
  const results = outputs(printed(many), printed(many), { status: "completed" }, printed("late"));
  expect(results.map((result) => result?.length)).toEqual([400_000, 400_001, undefined, 5]);
});

test("the terminal itself is no part of the call, and fences around output are not output", () => {
  const [event] = translateUpdate({
    sessionUpdate: "tool_call",
    toolCallId: "call",
    title: "ls",
    content: [
      { type: "terminal", terminalId: "call" },
      { type: "content", content: { type: "text", text: "```console\na\n```" } },
    ],
  });
  expect(event).toMatchObject({ type: "tool", patch: { name: "ls", result: "a" } });
  expect(event).not.toHaveProperty("patch.parts");
});

test("a tool's own name does not replace the title of a call that was presented", () => {
  const [event] = translateUpdate({ sessionUpdate: "tool_call_update", toolCallId: "call", name: "exec_command" });
  expect(event).not.toHaveProperty("patch.name");
});
