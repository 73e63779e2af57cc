import type { Budget } from "../../protocol/delegation.ts";

/** What holds for a tree of agents, unless the user's settings say otherwise. */
export interface TreeLimits {
  /** How many levels of agents a session may have below it. */
  readonly depthMax: number;
  /** Children of one session that are neither killed nor archived. */
  readonly childrenMax: number;
  /** Turns that run at the same time in one tree. */
  readonly runningMax: number;
  /** What one tree may spend in all. */
  readonly budget: Budget;
}

export const TREE_LIMITS: TreeLimits = { depthMax: 3, childrenMax: 10, runningMax: 5, budget: {} };
