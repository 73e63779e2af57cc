import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Json } from "../../../src/protocol/json.ts";

const FOLDER = join(import.meta.dirname, "../../recordings");
const UPDATE_CHARS_MAX = 1_500;
const Line = z.object({ out: z.looseObject({ method: z.string(), params: z.looseObject({ update: Json }) }) });

/** Recorded updates of real agents, each kind a few times: the base of new cases. */
export function recordedUpdates(): readonly Json[] {
  const updates = new Map<string, Json>();
  for (const name of readdirSync(FOLDER)
    .filter((file) => file.endsWith(".jsonl"))
    .sort()) {
    for (const line of readFileSync(join(FOLDER, name), "utf8").split("\n")) {
      const update = line === "" ? undefined : Line.safeParse(JSON.parse(line)).data?.out.params.update;
      if (update === undefined || JSON.stringify(update).length > UPDATE_CHARS_MAX) continue;
      updates.set(shapeOf(update), update);
    }
  }
  return [...updates.values()];
}

/** Updates with the same keys are of the same kind. */
function shapeOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(shapeOf).join()}]`;
  if (typeof value !== "object" || value === null) return typeof value;
  const kind = value["sessionUpdate"] ?? value["type"] ?? "";
  return `{${String(kind)} ${Object.entries(value)
    .map(([key, inner]) => `${key}:${shapeOf(inner)}`)
    .join()}}`;
}
