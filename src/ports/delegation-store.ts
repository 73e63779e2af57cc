import type { Spent } from "../protocol/children.ts";
import type { Budget, Delegator } from "../protocol/delegation.ts";
import type { SessionId } from "../protocol/ids.ts";

/** Records that a session was started for another one, or for an external program. */
export interface Delegation {
  /** Null when a program asked for it. */
  readonly parentId: SessionId | null;
  /** The top of the tree. */
  readonly rootId: Delegator;
  /** 1 for what a session without a parent starts. */
  readonly depth: number;
  /** The budget of the child and of everything it starts. */
  readonly budget: Budget;
}

/** The parents of sessions, and the results. Usage is counted in the same transactions that store the facts. */
export interface DelegationStore {
  /** Null for a session that was not delegated. */
  get(childId: SessionId): Promise<Delegation | null>;
  /** Oldest first, ended ones too. */
  children(delegator: Delegator): Promise<readonly SessionId[]>;
  /** Children that are neither killed nor archived. */
  liveChildren(delegator: Delegator): Promise<readonly SessionId[]>;
  /** Sessions that programs started and that are neither killed nor archived. */
  liveOfPrograms(): Promise<readonly SessionId[]>;
  /** Sessions of the tree whose turn has not ended; the root's own is not counted. */
  running(rootId: Delegator): Promise<readonly SessionId[]>;
  /** Usage of everything below the session, and of the session itself if it was started, too. */
  spentBy(sessionId: SessionId): Promise<Spent>;
  /** Children that continue although their parent was ended. */
  orphans(): Promise<readonly SessionId[]>;
  /** Sessions with pending waits. */
  waiting(): Promise<readonly SessionId[]>;
}
