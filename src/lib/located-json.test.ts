import { describe, expect, it, test } from "bun:test";
import { parseLocatedJson, withMember } from "./located-json.ts";

test("a member is set or added; all other text stays, comments included", () => {
  const cases = [
    ["", '{\n  "a": [\n    1\n  ]\n}\n'],
    ["{}", '{\n  "a": [\n    1\n  ]\n}'],
    ['{ "b": 2 }', '{\n  "a": [\n    1\n  ], "b": 2 }'],
    ['// top\n{ "a": {"x": [2]}, /* and */ "b": 2, }', '// top\n{ "a": [\n    1\n  ], /* and */ "b": 2, }'],
    ['{ "b": {"a": 3}, "a" : null }', '{ "b": {"a": 3}, "a" : [\n    1\n  ] }'],
  ] as const;
  for (const [before, after] of cases) expect(withMember(before, ["a"], [1])).toBe(after);
  for (const [before] of cases) {
    const { value, problems } = parseLocatedJson(withMember(before, ["a"], [1]) ?? "");
    expect(problems).toEqual([]);
    expect(value).toMatchObject({ a: [1] });
  }
});

test("text with a mistake, or that is not an object, is not changed", () => {
  for (const text of ["[]", "3", '{ "a": }', '{ "b": 1 "c": 2 }', '{ "a": 1', '{ "a": 1, "a": 2 }'])
    expect(withMember(text, ["a"], [])).toBeNull();
});

describe("a member deeper in the text", () => {
  const text = `{
  // mine
  "agents": {
    "one": { "command": "a", "later": 1 }, // the first
    /* the second */
    "two": { "command": "b" }
  },
  "unknown": [1, 2],
}
`;
  it("is set, added and removed; comments and unknown names stay", () => {
    const set = withMember(text, ["agents", "one", "command"], "c") ?? "";
    expect(set).toBe(text.replace('"a"', '"c"'));
    const added = withMember(text, ["mcpServers", "files"], { command: "x" }) ?? "";
    expect(parseLocatedJson(added)).toMatchObject({ value: { mcpServers: { files: { command: "x" } } }, problems: [] });
    expect(added).toContain("// mine");
    for (const name of ["one", "two"]) {
      const removed = withMember(text, ["agents", name], undefined) ?? "";
      const { value, problems } = parseLocatedJson(removed);
      expect(problems).toEqual([]);
      expect(Object.keys(Reflect.get(Object(value), "agents"))).toEqual([name === "one" ? "two" : "one"]);
      for (const kept of ["// mine", "// the first", "/* the second */", '"unknown": [1, 2]'])
        expect(removed).toContain(kept);
    }
    const none = withMember(withMember(text, ["agents", "one"], undefined) ?? "", ["agents", "two"], undefined) ?? "";
    expect(parseLocatedJson(none)).toMatchObject({ value: { agents: {}, unknown: [1, 2] }, problems: [] });
    expect(withMember(text, ["agents", "none"], undefined)).toBe(text);
  });
});
