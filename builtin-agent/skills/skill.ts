import type { Turn } from "../turn/turn.ts";

/** One command of the guide. */
export type Skill = {
  readonly name: string;
  /** How to write it, as shown to the user. */
  readonly usage: string;
  readonly summary: string;
  /** Shown by clients after `/name`. */
  readonly hint?: string;
  /** False sends the prompt to the general answer, so that ordinary sentences are not taken for commands. */
  accepts(argument: string): boolean;
  run(turn: Turn, argument: string): Promise<void> | void;
};

/** For skills without an argument. */
export function isEmpty(argument: string): boolean {
  return argument === "";
}

/** For skills with a required argument. */
export function isGiven(argument: string): boolean {
  return argument !== "";
}
