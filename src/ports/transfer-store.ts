import type { Entry } from "../protocol/entry.ts";
import type { CliType, ProjectId, SessionId } from "../protocol/ids.ts";
import type { SessionRow, SessionState } from "../protocol/session-schema.ts";
import type { AgentBinding } from "./session-log.ts";

/** A whole session that was not said here. */
export interface Adoption {
  readonly row: SessionRow;
  readonly binding: AgentBinding;
  /** Its working state; no entry is open in it. */
  readonly state: SessionState;
  readonly entries: readonly Entry[];
  /** What tells the file it was read from; null for one that an agent gave. */
  readonly digest: string | null;
}

export interface EntryRun {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  /** Where to read on; null at the end. */
  readonly next: number | null;
}

/** Sessions that come in whole and go out whole. */
export interface TransferStore {
  /** Every agent session that stands, or ever stood, behind a session of ours. */
  knownAgentSessions(cliType: CliType): Promise<ReadonlySet<string>>;
  /** Every agent session that ever stood behind a session that was deleted here. */
  forgottenAgentSessions(cliType: CliType): Promise<ReadonlySet<string>>;
  isKnown(cliType: CliType, agentSessionId: string): Promise<boolean>;
  /** All of it or nothing; false when its agent session is known already. */
  adopt(adoption: Adoption): Promise<boolean>;
  /** The session that a file was made into, in that project. */
  importedAs(projectId: ProjectId, digest: string): Promise<SessionId | null>;
  /** Settled entries from the oldest on, starting after `position`. */
  entriesAfter(sessionId: SessionId, position: number, limit: number): Promise<EntryRun>;
}
