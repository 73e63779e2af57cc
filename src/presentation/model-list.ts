import type { ConfigOption } from "../protocol/session-parts.ts";

/** A model that can be chosen, by its agent's id. */
export interface Model {
  readonly value: string;
  readonly name: string;
  readonly description?: string | undefined;
  /** The agent's own heading above it. */
  readonly group?: string | undefined;
}

interface ModelGroup {
  /** Empty: no heading is needed. */
  readonly name: string;
  readonly models: readonly Model[];
}

type SelectOption = Extract<ConfigOption, { type: "select" }>;

/** Whether an option of an agent chooses its model. */
export function isModelOption(option: ConfigOption): option is SelectOption & { category: "model" } {
  return option.type === "select" && option.category === "model";
}

/** The models of an agent's option, in its order. Some agents start with one that they do not list. */
export function modelsOf({ options, currentValue }: SelectOption): readonly Model[] {
  const listed = options.flatMap((one): readonly Model[] =>
    "group" in one ? one.options.map((model) => ({ ...model, group: one.name })) : [one],
  );
  if (currentValue === "" || listed.some(({ value }) => value === currentValue)) return listed;
  return [{ value: currentValue, name: currentValue }, ...listed];
}

/** Up to this many are visible at once: the chosen one need not be moved to the top. */
const SHORT_LIST_MODELS_MAX = 8;

/**
 * The models that have every typed word in name, id, heading or description. Favourites come first, then those in use
 * (of a long list), then the agent's groups; within each of these, names that begin with the text come before others.
 */
export function findModels(
  models: readonly Model[],
  text: string,
  favourites: readonly string[],
  inUse: readonly (string | undefined)[] = [],
): ModelGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models
    .filter((model) => words.every((word) => lettersOf(model).includes(word)))
    .toSorted((one, other) => rank(one, words) - rank(other, words));
  const isFavourite = ({ value }: Model) => favourites.includes(value);
  const isRecent = (model: Model) =>
    models.length > SHORT_LIST_MODELS_MAX && !isFavourite(model) && inUse.includes(model.value);
  const first = [
    { name: "Favourites", models: found.filter(isFavourite) },
    { name: "In use", models: found.filter(isRecent) },
  ].filter((group) => group.models.length > 0);
  const rest = found.filter((model) => !isFavourite(model) && !isRecent(model));
  // The groups stay in the agent's order, whatever was found.
  const names = new Set(models.map(({ group }) => group ?? ""));
  const groups = [...names]
    .map((name) => ({ name, models: rest.filter(({ group }) => (group ?? "") === name) }))
    .filter((group) => group.models.length > 0)
    .map((group) => (group.name === "" && first.length > 0 ? { ...group, name: "Others" } : group));
  return [...first, ...groups];
}

function lettersOf({ name, value, group = "", description = "" }: Model): string {
  return [name, value, group, description].join("\n").toLowerCase();
}

function rank({ name, value }: Model, [word]: readonly string[]): number {
  if (word === undefined || name.toLowerCase().startsWith(word)) return 0;
  return name.toLowerCase().includes(word) || value.toLowerCase().includes(word) ? 1 : 2;
}
