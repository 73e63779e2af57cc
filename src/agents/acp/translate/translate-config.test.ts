import { describe, expect, it } from "bun:test";
import {
  legacyId,
  translateCommands,
  translateLegacyOptions,
  translateOptions,
  translateUsage,
} from "./translate-config.ts";

const SELECT = {
  id: "model",
  name: "Model",
  category: "model",
  type: "select",
  currentValue: "b",
  options: [
    { value: "a", name: "A", description: "small" },
    { group: "big", name: "Big", options: [{ value: "b", name: "B" }] },
  ],
} as const;

describe("translateOptions", () => {
  it("keeps the agent's order, groups and values, including a current value that is not listed", () => {
    const boolean = { id: "fast", name: "Fast", type: "boolean", currentValue: false } as const;
    const custom = { ...SELECT, id: "effort", category: "_own", currentValue: "not in the list", options: [] };
    const given = JSON.parse(JSON.stringify([boolean, SELECT, custom]));
    expect(translateOptions(given)).toEqual(given);
  });

  it("omits what cannot be shown and keeps the rest", () => {
    const odd = [{ id: "slider", name: "S", type: "range", currentValue: 3 }, { name: "no id", type: "boolean" }, 7];
    expect(translateOptions([...odd, JSON.parse(JSON.stringify(SELECT))])).toMatchObject([{ id: "model" }]);
  });

  it("a missing list is null, unlike an empty one", () => {
    expect([translateOptions(undefined), translateOptions(null), translateOptions({}), translateOptions([])]).toEqual([
      null,
      null,
      null,
      [],
    ]);
  });
});

describe("translateLegacyOptions", () => {
  const modes = {
    currentModeId: "default",
    availableModes: [{ id: "default", name: "Default", description: "d" }, { id: "yolo" }, { name: "no id" }, 7],
  };

  it("modes and models, as gemini offers them, become options with our ids", () => {
    const models = { currentModelId: "m1", availableModels: [{ modelId: "m1", name: "One" }] };
    expect(translateLegacyOptions({ sessionId: "s", modes, models })).toEqual([
      {
        id: legacyId("mode"),
        name: "Mode",
        category: "mode",
        type: "select",
        currentValue: "default",
        options: [
          { value: "default", name: "Default", description: "d" },
          { value: "yolo", name: "yolo" },
        ],
      },
      {
        id: legacyId("model"),
        name: "Model",
        category: "model",
        type: "select",
        currentValue: "m1",
        options: [{ value: "m1", name: "One" }],
      },
    ]);
  });

  it("ids may be anything, such as copilot's urls", () => {
    const id = "https://agentclientprotocol.com/protocol/session-modes#agent";
    const translated = translateLegacyOptions({
      modes: { currentModeId: id, availableModes: [{ id, name: "Agent" }] },
    });
    expect(translated).toMatchObject([{ currentValue: id, options: [{ value: id }] }]);
  });

  it("a current model that is not listed, as with codex, stays the current one", () => {
    const models = { currentModelId: "custom", availableModels: [{ modelId: "m1", name: "One" }] };
    expect(translateLegacyOptions({ models })).toMatchObject([{ currentValue: "custom" }]);
  });

  it("no values, or no current value, gives no option", () => {
    for (const answer of [
      {},
      { modes: null, models: null },
      { modes: { currentModeId: "x", availableModes: [] } },
      { modes: { availableModes: [{ id: "x" }] } },
    ])
      expect(translateLegacyOptions(answer)).toEqual([]);
  });
});

describe("translateCommands", () => {
  it("reads name, description and hint, and drops the agent's extras", () => {
    const commands = [
      { name: "plan", description: "Plan it", input: { hint: "what" }, _meta: { details: "x".repeat(1_000) } },
      { name: "$skill" },
      { description: "no name" },
      "words",
    ];
    expect(translateCommands(commands)).toEqual([
      { name: "plan", description: "Plan it", hint: "what" },
      { name: "$skill", description: "" },
    ]);
  });

  it("limits the list; qwen sends half a megabyte", () => {
    const many = Array.from({ length: 2_000 }, (_, index) => ({ name: `c${index}`, description: "x".repeat(10_000) }));
    const commands = translateCommands(many) ?? [];
    expect([commands.length, commands[0]?.description.length]).toEqual([500, 500]);
  });
});

describe("translateUsage", () => {
  it("reads a complete cost in any currency", () => {
    expect(translateUsage({ used: 1, size: 10, cost: { amount: 0.5, currency: "credits" } })).toEqual({
      used: 1,
      size: 10,
      cost: { amount: 0.5, currency: "credits" },
    });
    for (const cost of [null, {}, { amount: 1 }, { amount: "1", currency: "USD" }])
      expect(translateUsage({ used: 1, size: 10, cost })).toEqual({ used: 1, size: 10 });
  });

  it("returns nothing without numbers", () => {
    for (const update of [{}, { used: null }, { used: "1", size: "2" }, { cost: { amount: 1 } }])
      expect(translateUsage(update)).toBeNull();
  });
});
