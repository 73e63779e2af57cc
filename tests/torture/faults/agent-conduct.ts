import type { Verb } from "../scene/user.ts";
import { DONE, type Fault } from "./fault.ts";

/** What agents themselves do wrong, asked of one of them by a prompt. */
function conduct(name: string, verb: Verb, count: number): Fault {
  return {
    name,
    async inject({ scene, random }) {
      scene.user.send(random.pick(scene.sessions), verb, count, 5);
      return DONE;
    },
  };
}

/** Thousands of updates in one go. */
export const agentBurst = conduct("agent-burst", "burst", 5_000);
/** Not a word until it is cancelled. */
export const agentStall = conduct("agent-stall", "stall", 1);
/** Ids of others, wrong types, answers nobody asked for, answers given twice. */
export const agentLie = conduct("agent-lie", "lie", 20);
/** Fifty children, half of them with a child of their own, left behind. */
export const agentFork = conduct("agent-fork-bomb", "fork", 50);
/** A line longer than any line may be. */
export const agentHugeLine = conduct("agent-huge-line", "huge", 1);
