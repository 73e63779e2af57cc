import { z } from "zod/mini";
import { readKept, writeKept } from "../../ui/kept-json.ts";

const RECENT_KEY = "liminal:palette";
const RECENT_CHOICES_MAX = 20;
const Recent = z.array(z.string());

/** What was chosen in the palette lately, the latest first. */
export function recentChoices(): readonly string[] {
  return readKept(RECENT_KEY, Recent, []);
}

export function keepChoice(id: string): void {
  writeKept(RECENT_KEY, [id, ...recentChoices().filter((other) => other !== id)].slice(0, RECENT_CHOICES_MAX));
}
