import type { UsageReport } from "../../../ports/agents.ts";
import type { Json } from "../../../protocol/json.ts";
import { ConfigOption, type SlashCommand } from "../../../protocol/session-parts.ts";
import { asArray, asNumber, asObject, asString, type JsonObject } from "../read-json.ts";

const COMMANDS_MAX = 500;
const DESCRIPTION_CHARS_MAX = 500;

/** The agent's options, in its order; options of unknown types are omitted. */
export function translateOptions(configOptions: Json | undefined): ConfigOption[] | null {
  return asArray(configOptions)?.flatMap((option) => ConfigOption.safeParse(option).data ?? []) ?? null;
}

/** Older agents list modes and models separately; both become options. */
export function translateLegacyOptions(answer: JsonObject): ConfigOption[] {
  return [
    ...legacySelect("mode", "Mode", asObject(answer["modes"]), "availableModes", "currentModeId", "id"),
    ...legacySelect("model", "Model", asObject(answer["models"]), "availableModels", "currentModelId", "modelId"),
  ];
}

function legacySelect(
  category: string,
  name: string,
  source: JsonObject | null,
  listKey: string,
  currentKey: string,
  idKey: string,
): ConfigOption[] {
  const currentValue = asString(source?.[currentKey]);
  const values = (asArray(source?.[listKey]) ?? []).flatMap((item) => {
    const value = asObject(item);
    const id = asString(value?.[idKey]);
    if (id === undefined) return [];
    const description = asString(value?.["description"]);
    return [{ value: id, name: asString(value?.["name"]) ?? id, ...(description !== undefined && { description }) }];
  });
  if (currentValue === undefined || values.length === 0) return [];
  return [{ id: legacyId(category), name, category, type: "select", currentValue, options: values }];
}

/** Our ids for settings without an option id; never sent to the agent. */
export function legacyId(category: string): string {
  return `legacy:${category}`;
}

/** Null without a list: earlier commands stay. */
export function translateCommands(availableCommands: Json | undefined): SlashCommand[] | null {
  const commands = asArray(availableCommands)?.slice(0, COMMANDS_MAX);
  if (!commands) return null;
  return commands.flatMap((item) => {
    const command = asObject(item);
    const name = asString(command?.["name"]);
    if (name === undefined) return [];
    const hint = asString(asObject(command?.["input"])?.["hint"]);
    const description = (asString(command?.["description"]) ?? "").slice(0, DESCRIPTION_CHARS_MAX);
    return [{ name, description, ...(hint !== undefined && { hint }) }];
  });
}

/** The figures that are present: agents send some with every model call and the cost only at the end. */
export function translateUsage(update: JsonObject): UsageReport | null {
  const used = asNumber(update["used"]);
  const size = asNumber(update["size"]);
  const cost = asObject(update["cost"]);
  const amount = asNumber(cost?.["amount"]);
  const currency = asString(cost?.["currency"]);
  const report = {
    ...(used !== undefined && { used }),
    ...(size !== undefined && { size }),
    ...(amount !== undefined && currency !== undefined && { cost: { amount, currency } }),
  };
  return Object.keys(report).length === 0 ? null : report;
}
