import { expect, test } from "bun:test";
import type { Json } from "../../protocol/json.ts";
import { OwnTerminals } from "./own-terminals.ts";
import { translateUpdate } from "./translate-update.ts";

type Update = { readonly [key: string]: Json };

/** What the updates of one call make of its output, in turn. */
function outputs(...updates: Update[]): (string | undefined)[] {
  const terminals = new OwnTerminals();
  return updates.flatMap((fields) => {
    const update: Json = { sessionUpdate: "tool_call_update", toolCallId: "call", ...fields };
    return translateUpdate(update).map((event) => {
      const completed = terminals.complete(event, update);
      return completed.type === "tool" ? completed.patch.result : undefined;
    });
  });
}

function printed(data: string): Update {
  return { _meta: { terminal_output_delta: { terminal_id: "call", data } } };
}

test("what an agent's own terminal prints grows into the call's output, and its end keeps it", () => {
  expect(outputs(printed("one\n"), printed("two\n"), { status: "completed", rawOutput: { exit_code: 0 } })).toEqual([
    "one\n",
    "one\ntwo\n",
    "one\ntwo\n",
  ]);
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

test("of endless output the start is shown as it comes and the end when it is over", () => {
  const many = "x".repeat(400_000);
  const results = outputs(printed(many), printed(many), printed(many), printed(`${many}end`), { status: "completed" });
  expect(results.slice(0, 4).map((result) => result?.length)).toEqual([400_000, undefined, undefined, undefined]);
  expect(results.at(-1)).toMatch(/^x{500000}\n\[… 700003 characters left out …\]\nx{399997}end$/);
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
