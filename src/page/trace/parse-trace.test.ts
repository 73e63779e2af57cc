import { describe, expect, it } from "bun:test";
import { filterTrace, parseTrace, summaryOf, wholeText } from "./parse-trace.ts";

const line = (direction: string, text: string) => JSON.stringify({ at: "2026-03-01T12:00:00.000Z", direction, text });
const TRACE = [
  JSON.stringify({ liminalBuilder: "1.0.0", sessionId: "codex:1", cliType: "codex" }),
  line("out", '{"jsonrpc":"2.0","id":"a-0","method":"initialize","params":{}}'),
  line("in", '{"jsonrpc":"2.0","id":"a-0","result":{"protocolVersion":1}}'),
  line("in", '{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}'),
  line("in", '{"id":3,"error":{"code":-32603,"message":"no"}}'),
  line("stderr", "warning: odd"),
  line("junk", "Hello, I am no message"),
  line("sideways", "of a version we do not know"),
  "",
].join("\n");

describe("parseTrace", () => {
  it("[X-17] keeps the lines and skips the heading and unknown lines", () => {
    expect(parseTrace(TRACE).map(({ direction }) => direction)).toEqual(["out", "in", "in", "in", "stderr", "junk"]);
  });

  it("[X-17] summarizes each message", () => {
    expect(parseTrace(TRACE).map(summaryOf)).toEqual([
      "initialize",
      "answer a-0",
      "session/update plan",
      "error 3",
      "",
      "",
    ]);
  });

  it("indents a message for reading, and leaves other text unchanged", () => {
    expect(wholeText('{"id":1}')).toBe('{\n  "id": 1\n}');
    expect(wholeText("Hello {")).toBe("Hello {");
  });
});

describe("filterTrace", () => {
  const texts = (...wanted: [Parameters<typeof filterTrace>[1], string]) =>
    filterTrace(parseTrace(TRACE), ...wanted).map(({ text }) => text.slice(0, 12));

  it.each([
    ["all", "", 6],
    ["in", "", 3],
    ["noise", "", 2],
    ["all", " SESSION/update ", 1],
    ["out", "odd", 0],
  ] as const)("finds %p lines with %p", (kind, text, count) => {
    expect(texts(kind, text)).toHaveLength(count);
  });
});
