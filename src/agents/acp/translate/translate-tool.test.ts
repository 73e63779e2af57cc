import { describe, expect, it, test } from "bun:test";
import type { Json } from "../../../protocol/json.ts";
import { translateTool } from "./translate-tool.ts";
import { translateUpdate } from "./translate-update.ts";

type Call = Parameters<typeof translateTool>[0];

function patch(call: Call, announced = false) {
  const translated = translateTool({ toolCallId: "1", ...call }, announced);
  if (!translated) throw new Error("a call with an id is always a patch");
  const { toolCallId: _, announced: __, ...rest } = translated;
  return rest;
}

const shown = (text: string) => ({ type: "content", content: { type: "text", text } });
const DIFF = { type: "diff", path: "/a.ts", oldText: "old", newText: "new" } as const;

describe("translateTool", () => {
  it("a patch has only the fields of the update: absent and null keep the known value", () => {
    expect(patch({})).toEqual({});
    expect(patch({ title: null, kind: null, status: null, content: null, locations: null, rawInput: null })).toEqual(
      {},
    );
    expect(patch({ _meta: { claudeCode: { toolName: "Bash" } } })).toEqual({});
  });

  it.each([
    ["pending", "running"],
    ["in_progress", "running"],
    ["completed", "complete"],
    ["failed", "error"],
    ["levitating", undefined],
    [7, undefined],
  ] as const)("status %s is %s", (status, ours) => {
    expect(patch({ status })).toEqual(ours === undefined ? {} : { status: ours });
  });

  it("the title is the name; the tool's own name is used if the call is announced without a title, and replaces nothing later", () => {
    expect(patch({ title: "Read a.ts", name: "read" }, true)).toEqual({ name: "Read a.ts" });
    expect(patch({ title: "", name: "read" }, true)).toEqual({ name: "read" });
    expect(patch({ name: "read" }, false)).toEqual({});
  });

  it("input is any JSON, unchanged", () => {
    for (const rawInput of [{ command: "ls" }, "ls", ["ls"], 0, false])
      expect(patch({ rawInput })).toEqual({ input: rawInput });
  });

  it("locations are replaced as a whole; one without a path is dropped", () => {
    expect(patch({ locations: [{ path: "/a", line: 3 }, { path: "/b", line: null }, { line: 1 }, "c"] })).toEqual({
      locations: [{ path: "/a", line: 3 }, { path: "/b" }],
    });
    expect(patch({ locations: [] })).toEqual({ locations: [] });
  });
});

describe("the content of a tool call", () => {
  it("text is its output; several texts are joined by lines", () => {
    expect(patch({ content: [shown("one"), shown("two")] })).toEqual({ result: "one\ntwo" });
  });

  it("a bare block without its wrapper is accepted", () => {
    expect(patch({ content: [{ type: "text", text: "bare block" }] })).toEqual({ result: "bare block" });
  });

  it("claude's output in a code fence is shown without the fence", () => {
    expect(patch({ content: [shown("```console\nhello\n```")] })).toEqual({ result: "hello" });
    expect(patch({ content: [shown("a ```b``` c")] })).toEqual({ result: "a ```b``` c" });
    expect(patch({ content: [shown("```ts\na\n```\n")] })).toEqual({ result: "a" });
    expect(patch({ content: [shown("```\n```")] })).toEqual({ result: "" });
    expect(patch({ content: [shown(`${"`".repeat(9)}\na\n${"`".repeat(9)}`)] })).toEqual({ result: "a" });
    const two = "```\na\n```\nbetween\n```\nb\n```";
    expect(patch({ content: [shown(two)] })).toEqual({ result: two });
  });

  it("an overlong fence is not searched in the output, which could take minutes", () => {
    const fence = "`".repeat(40_000);
    const text = `${fence}\n${`${fence.slice(1)}\n`.repeat(40)}${fence}`;
    expect(patch({ content: [shown(text)] }).result).toBe(text);
  });

  it("a diff of a new file has no old text, in any form agents use; an empty one is a text", () => {
    const bare = { type: "diff", path: "/a.ts", newText: "new" };
    const content = [bare, { ...bare, oldText: null }, { ...bare, oldText: "" }, { ...bare, oldText: "old" }];
    expect(patch({ content }).parts).toMatchObject([null, null, "", "old"].map((oldText) => ({ ...bare, oldText })));
  });

  it("text and structured content are both kept", () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
    expect(patch({ content: [shown("done"), DIFF, { type: "content", content: image }] })).toEqual({
      result: "done",
      parts: [DIFF, image],
    });
  });

  it("a terminal is a part, unless it is the agent's own, whose output is the call's output", () => {
    expect(patch({ content: [{ type: "terminal", terminalId: "t" }] })).toEqual({
      parts: [{ type: "terminal", terminalId: "t" }],
    });
    expect(patch({ content: [{ type: "terminal", terminalId: "1" }] })).toEqual({});
  });

  it("an empty list, as gemini sends at the end, removes nothing", () => {
    expect(patch({ content: [], status: "completed" })).toEqual({ status: "complete" });
  });

  it("unknown content is kept unchanged", () => {
    const odd = [{ type: "diff", path: "/a.ts" }, { type: "terminal" }, { type: "hologram", data: "…" }];
    expect(patch({ content: odd })).toEqual({ parts: odd.map((raw) => ({ type: "unknown", raw })) });
    expect(patch({ content: ["words", 7] })).toEqual({});
  });
});

describe("a sub-agent's call", () => {
  it.each([{ claudeCode: { toolName: "Read", parentToolUseId: "task-1" } }, { parentToolCallId: "task-1" }])(
    "names its parent call: %j",
    (_meta) => {
      expect(patch({ _meta })).toEqual({ parentToolCallId: "task-1" });
    },
  );
});

describe("raw output", () => {
  it.each<[Json, string, Json | undefined]>([
    ["plain words", "plain words", undefined],
    [{ output: "of cline" }, "of cline", undefined],
    [{ stdout: "of a shell", exitCode: 0 }, "of a shell", { exitCode: 0 }],
    [{ formatted_output: "of codex", exit_code: 0 }, "of codex", { exit_code: 0 }],
    [{ content: "of copilot", detailedContent: "…" }, "of copilot", { detailedContent: "…" }],
    [
      { message: "The user rejected this tool call.", code: "rejected" },
      "The user rejected this tool call.",
      undefined,
    ],
    [{ exit_code: 0 }, '{\n  "exit_code": 0\n}', undefined],
    [["a"], '[\n  "a"\n]', undefined],
  ])("%j alone is shown as its text, and the rest is kept", (rawOutput, result, output) => {
    expect(patch({ rawOutput })).toEqual({ result, ...(output !== undefined && { output }) });
  });

  it("beside text is kept only for its additional data, and never duplicates a long output", () => {
    const content = [shown("one\ntwo")];
    expect(patch({ content, rawOutput: { lines: 2, text: "one\ntwo" } })).toEqual({
      result: "one\ntwo",
      output: { lines: 2 },
    });
    expect(patch({ content, rawOutput: { copy: "x".repeat(20_000) } })).toEqual({ result: "one\ntwo" });
  });

  it("content has priority over raw output", () => {
    expect(patch({ content: [shown("shown")], rawOutput: "raw" })).toEqual({ result: "shown" });
    expect(patch({ content: [DIFF], rawOutput: "raw" })).toEqual({ result: "raw", parts: [DIFF] });
    expect(patch({ content: [DIFF], rawOutput: { fileDiff: "the same again" } })).toEqual({ parts: [DIFF] });
  });

  it("missing output stays missing", () => {
    expect(patch({ rawOutput: null })).toEqual({});
  });
});

test("(S12) a thousand titles of a megabyte are truncated and state how much is missing", () => {
  const title = "x".repeat(1_000_000);
  const kept = Array.from({ length: 1_000 }, (_, index) => {
    const update = {
      sessionUpdate: index % 2 === 0 ? "tool_call" : "session_info_update",
      toolCallId: `c${index}`,
      title,
      kind: title,
    };
    return JSON.stringify(translateUpdate(update)).length;
  });
  expect(kept.reduce((sum, chars) => sum + chars, 0)).toBeLessThan(20_000_000);
  const command = `rm -rf build ${"y".repeat(20_000)}`;
  const name = translateTool({ toolCallId: "c", title: command }, true)?.name;
  expect(name).toStartWith("rm -rf build yyy");
  expect(name).toEndWith("… (4013 more characters were not kept)");
});
