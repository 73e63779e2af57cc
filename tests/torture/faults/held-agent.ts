import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { CliType } from "../../../src/protocol/ids.ts";
import type { FaultWorld } from "./fault.ts";

export interface HeldAgent {
  readonly cliType: CliType;
  readonly holderPid: number;
  readonly dir: string;
  /** The files of its journal, oldest first. */
  readonly journal: readonly string[];
}

/** One of the agents that a holder keeps, by chance. */
export function pickHeld({ scene, random }: FaultWorld): HeldAgent | null {
  const held = scene
    .holderPids()
    .flatMap((holderPid) => heldBy(holderPid))
    .sort((one, other) => one.dir.localeCompare(other.dir));
  return held.length === 0 ? null : random.pick(held);
}

function heldBy(holderPid: number): HeldAgent[] {
  try {
    const dir = readlinkSync(`/proc/${holderPid}/cwd`);
    const label = readFileSync(join(dir, "label"), "utf8");
    const cliType = CliType.parse(/agent-\d+/.exec(label)?.[0]);
    const names = readdirSync(dir).filter((name) => name.startsWith("journal-"));
    return [{ cliType, holderPid, dir, journal: names.sort().map((name) => join(dir, name)) }];
  } catch (error) {
    // It ended while we looked.
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}
