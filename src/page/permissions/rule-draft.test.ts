import { expect, test } from "bun:test";
import { ruleWords } from "../../protocol/rule-words.ts";
import { EMPTY_RULE, type RuleFields, readRule } from "./rule-draft.ts";

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");
const read = (fields: Partial<RuleFields>) => readRule({ ...EMPTY_RULE, ...fields }, NOW_MS);

test.each([
  ["github/create_issue", "mcp:github/create_issue", "Deny the tool mcp:github/create_issue"],
  [" mcp:github/create_issue ", "mcp:github/create_issue", "Deny the tool mcp:github/create_issue"],
  ["github/*", "mcp:github/*", "Deny all tools of github"],
  ["github/list_*", "mcp:github/list_*", "Deny the tool mcp:github/list_*"],
])("X-4 (C1) the rule form accepts the MCP tool %s", (text, tool, words) => {
  const { draft, problem } = read({ effect: "deny", subject: "tool", text });
  expect({ draft, problem }).toEqual({ draft: { effect: "deny", tool }, problem: null });
  expect(draft && ruleWords(draft)).toBe(words);
});

test.each(["github", "github/", "git hub/x", "mcp:", "/x", "a/b/c"])(
  "X-4 (C1) it refuses %j and explains the format",
  (text) => {
    expect(read({ subject: "tool", text })).toEqual({
      draft: null,
      problem: "Write a tool as mcp:server/tool, or mcp:server/* for all of its tools.",
    });
  },
);

test("the form reports an invalid path, and nothing while the field is empty", () => {
  expect(read({ subject: "edit", text: "../x" }).problem).toBe("A path pattern must not go up with .. segments.");
  expect(read({ subject: "tool", text: " " })).toEqual({ draft: null, problem: null });
  expect(read({ text: "npm test", duration: "hour" }).draft).toEqual({
    effect: "allow",
    command: "npm test",
    expiresAt: "2026-01-01T01:00:00.000Z",
  });
});
