import { describe, expect, test } from "bun:test";
import { findModels, isModelOption, modelsOf } from "./model-list.ts";

const MODELS = [
  { value: "gpt-5", name: "GPT 5", description: "for hard work" },
  { value: "gpt-5-mini", name: "Small GPT 5" },
  { value: "opus", name: "Opus", group: "Claude" },
  { value: "sonnet[1m]", name: "Sonnet (1M context)", group: "Claude" },
];

function shown(text: string, favourites: readonly string[] = []): unknown {
  return findModels(MODELS, text, favourites).map(({ name, models }) => [name, ...models.map(({ value }) => value)]);
}

describe("[X-60] the list of models", () => {
  test("is the agent's own order and groups without a text", () => {
    expect(shown("")).toEqual([
      ["", "gpt-5", "gpt-5-mini"],
      ["Claude", "opus", "sonnet[1m]"],
    ]);
  });

  test("has favourites first and each model once", () => {
    expect(shown("", ["opus", "gone"])).toEqual([
      ["Favourites", "opus"],
      ["Others", "gpt-5", "gpt-5-mini"],
      ["Claude", "sonnet[1m]"],
    ]);
  });

  test("has what is in use next, of a list that is longer than the screen", () => {
    const many = Array.from({ length: 9 }, (_one, index) => ({ value: `m${index}`, name: `M${index}` }));
    const groups = findModels(many, "", ["m7"], ["m5", "m7", undefined]);
    expect(groups.map(({ name, models }) => [name, models[0]?.value, models.length])).toEqual([
      ["Favourites", "m7", 1],
      ["In use", "m5", 1],
      ["Others", "m0", 7],
    ]);
    expect(findModels(many.slice(0, 8), "", [], ["m5"]).map(({ name }) => name)).toEqual([""]);
  });

  test("finds every typed word in name, id, heading or description, in any case", () => {
    expect(shown("CONTEXT 1m")).toEqual([["Claude", "sonnet[1m]"]]);
    expect(shown("hard")).toEqual([["", "gpt-5"]]);
    expect(shown("claude o")).toEqual([["Claude", "opus", "sonnet[1m]"]]);
    expect(shown("gpt claude")).toEqual([]);
  });

  test("puts names that begin with the text first, and favourites before them", () => {
    expect(shown("small")).toEqual([["", "gpt-5-mini"]]);
    expect(shown("gpt")).toEqual([["", "gpt-5", "gpt-5-mini"]]);
    expect(shown("s")).toEqual([
      ["", "gpt-5-mini"],
      ["Claude", "sonnet[1m]", "opus"],
    ]);
    expect(shown("gpt", ["gpt-5-mini"])).toEqual([
      ["Favourites", "gpt-5-mini"],
      ["Others", "gpt-5"],
    ]);
  });

  test("includes the current model where the agent does not list it", () => {
    const option = { type: "select" as const, id: "m", name: "Model", category: "model", currentValue: "own" };
    const options = [{ group: "g", name: "Group", options: [{ value: "a", name: "A" }] }];
    expect(modelsOf({ ...option, options })).toEqual([
      { value: "own", name: "own" },
      { value: "a", name: "A", group: "Group" },
    ]);
    expect(modelsOf({ ...option, options, currentValue: "a" })).toHaveLength(1);
    expect(isModelOption({ ...option, options })).toBe(true);
    expect(isModelOption({ ...option, options, category: "mode" })).toBe(false);
  });
});
