import { z } from "zod";
import { Json } from "../../src/protocol/json.ts";
import { COMMANDS_KEPT, PROJECT } from "./transcript.ts";

const VALUES_KEPT = 4;
const SOME_TIME = "2026-01-01T00:00:00.000Z";
const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Folders of the run, and what stands for each. */
export interface Places {
  readonly project: string;
  /** Others that may show up; longer ones first where one holds another. */
  readonly others: readonly string[];
}

const Option = z.looseObject({ currentValue: z.unknown(), options: z.array(z.looseObject({ value: z.unknown() })) });

/** A recording without the machine it was made on, and without long lists that say the same in every line. */
export function cleanRecording(text: string, places: Places): string {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.stringify(shorten(Json.parse(JSON.parse(line)))));
  const replaced = lines.join("\n").replaceAll(places.project, PROJECT).replaceAll(ISO_TIME, SOME_TIME);
  return `${places.others.reduce((all, place) => all.replaceAll(place, "{{place}}"), replaced)}\n`;
}

function shorten(value: Json): Json {
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== "object" || value === null) return value;
  const option = Option.safeParse(value).data;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      if (name === "availableCommands" && Array.isArray(held)) return [name, held.slice(0, COMMANDS_KEPT)];
      if (name === "availableModels" && Array.isArray(held)) return [name, held.slice(0, VALUES_KEPT)];
      if (name === "options" && option && Array.isArray(held)) return [name, keepValues(held, option.currentValue)];
      return [name, shorten(held)];
    }),
  );
}

/** The chosen value stays among those that are kept. */
function keepValues(values: readonly Json[], current: unknown): Json[] {
  const isCurrent = (value: Json) =>
    typeof value === "object" && value !== null && Reflect.get(value, "value") === current;
  return values.filter((value, index) => index < VALUES_KEPT || isCurrent(value));
}
