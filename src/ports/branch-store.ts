import type { Entry, UserEntry } from "../protocol/entry.ts";
import type { CliType, EntryId, SessionId, TurnId } from "../protocol/ids.ts";
import type { SessionRow, SessionState } from "../protocol/session-schema.ts";
import type { AgentBinding, Receipt } from "./session-log.ts";

/** A session that starts with copies of another one's entries. */
export interface NewBranch {
  readonly row: SessionRow;
  readonly binding: AgentBinding;
  readonly state: SessionState;
  readonly source: SessionId;
  /** Position of the last inherited entry; 0: none. */
  readonly until: number;
  /** The text that its agent gets with the first message. */
  readonly pack: string | null;
  readonly receipt: Receipt | null;
  /** Up to when its agent's own copy is known; null: the agent has none. */
  readonly agentSeenAt: string | null;
}

/** Branches of conversations. Positions count the settled entries of a session from 1 on. */
export interface BranchStore {
  /** The position of the newest settled entry; 0 without one. */
  lastPosition(sessionId: SessionId): Promise<number>;
  find(sessionId: SessionId, entryId: EntryId): Promise<{ readonly position: number; readonly entry: Entry } | null>;
  /** The position of the last entry of that turn, from this position on. */
  endOfTurn(sessionId: SessionId, position: number, turnId: TurnId): Promise<number>;
  /** The first entry of a turn; null for a turn that has not settled. */
  entryOfTurn(sessionId: SessionId, turnId: TurnId): Promise<EntryId | null>;
  /** The newest entries up to a position, oldest first. */
  entriesUpTo(sessionId: SessionId, position: number, countMax: number): Promise<readonly Entry[]>;
  firstMessage(sessionId: SessionId): Promise<UserEntry | null>;
  /** The context size that an agent of this kind reported last. */
  contextTokens(cliType: CliType): Promise<number | null>;
  /** Copies in small steps; the session appears only when it is complete. The source is only read. */
  create(branch: NewBranch): Promise<void>;
}
