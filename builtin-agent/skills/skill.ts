import type { Turn } from "../turn/turn.ts";

/** One thing the guide can do. */
export type Skill = {
  readonly name: string;
  /** How to write it, as shown to the user. */
  readonly usage: string;
  readonly summary: string;
  /** What a client may show after `/name`. */
  readonly hint?: string;
  /** False sends the prompt to the general answer, so that ordinary sentences are not taken for commands. */
  accepts(argument: string): boolean;
  run(turn: Turn, argument: string): Promise<void> | void;
};

/** For skills that take nothing. */
export function isEmpty(argument: string): boolean {
  return argument === "";
}

/** For skills that need something. */
export function isGiven(argument: string): boolean {
  return argument !== "";
}
