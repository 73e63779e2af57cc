import type { Spent } from "../protocol/children.ts";
import type { Budget, Delegator } from "../protocol/delegation.ts";
import type { SessionId } from "../protocol/ids.ts";

/** That a session was started for another one, or for a program outside. */
export interface Delegation {
  /** Null when a program asked for it. */
  readonly parentId: SessionId | null;
  /** The top of the tree. */
  readonly rootId: Delegator;
  /** 1 for what a session without a parent starts. */
  readonly depth: number;
  /** What the child may spend, with all that it starts. */
  readonly budget: Budget;
}

/** Who started whom, and what came of it. What was spent is counted in the very transactions that store the facts. */
export interface DelegationStore {
  /** Null for a session that nobody delegated. */
  get(childId: SessionId): Delegation | null;
  /** Oldest first, ended ones too. */
  children(delegator: Delegator): readonly SessionId[];
  /** Children that are neither killed nor archived. */
  liveChildCount(delegator: Delegator): number;
  /** What programs started and is neither killed nor archived. */
  liveOfPrograms(): readonly SessionId[];
  /** Sessions of the tree whose turn has not ended; the root's own is not counted. */
  running(rootId: Delegator): readonly SessionId[];
  /** By all that were started below the session, and by itself if it was started too. */
  spentBy(sessionId: SessionId): Spent;
  /** Children that go on although their parent was ended. */
  orphans(): readonly SessionId[];
  /** Sessions that are to be woken some day. */
  waiting(): readonly SessionId[];
}
