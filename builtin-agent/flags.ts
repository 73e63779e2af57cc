import { FEATURES, type Feature, isFeature } from "./agent/features.ts";
import { SCENARIOS } from "./scenarios/catalog.ts";
import type { Scenario } from "./scenarios/scenario.ts";

/** The parsed command line. */
export type Flags = {
  readonly scenarios: readonly Scenario[];
  readonly without: ReadonlySet<Feature>;
  readonly startDelayMs: number;
};

/** An invalid command line; the message explains it. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/** Refuses unknown flags: a misspelled scenario must not run as a normal agent. */
export function parseFlags(words: readonly string[]): Flags {
  const scenarios: Scenario[] = [];
  const without = new Set<Feature>();
  let startDelayMs = 0;
  for (let index = 0; index < words.length; index += 2) {
    const flag = words[index];
    const value = words[index + 1];
    if (value === undefined) throw new FlagError(`${flag} needs a value.`);
    if (flag === "--scenario") scenarios.push(findScenario(value));
    else if (flag === "--without") for (const word of value.split(",")) without.add(findFeature(word));
    else if (flag === "--start-delay-ms") startDelayMs = parseMs(value);
    else throw new FlagError(`Unknown flag ${flag}. There are --scenario, --without and --start-delay-ms.`);
  }
  return { scenarios, without, startDelayMs };
}

function findScenario(name: string): Scenario {
  const scenario = SCENARIOS.find((known) => known.name === name);
  if (scenario) return scenario;
  throw new FlagError(`Unknown scenario ${name}. There are: ${SCENARIOS.map((known) => known.name).join(", ")}.`);
}

function findFeature(word: string): Feature {
  if (isFeature(word)) return word;
  throw new FlagError(`--without takes ${FEATURES.join(", ")}, not ${word}.`);
}

function parseMs(value: string): number {
  if (!/^\d+$/.test(value)) throw new FlagError(`--start-delay-ms takes a number, not ${value}.`);
  return Number(value);
}
