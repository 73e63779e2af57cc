import type { Entry } from "../protocol/entry.ts";
import type { CliType, ProjectId, SessionId } from "../protocol/ids.ts";
import type { SessionRow, SessionState } from "../protocol/session-schema.ts";
import type { AgentBinding } from "./session-log.ts";

/** A complete session that was created elsewhere. */
export interface Adoption {
  readonly row: SessionRow;
  readonly binding: AgentBinding;
  /** Its working state; no entry is open in it. */
  readonly state: SessionState;
  readonly entries: readonly Entry[];
  /** Identifies the file it was read from; null for one from an agent. */
  readonly digest: string | null;
}

export interface EntryRun {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  /** Where to continue reading; null at the end. */
  readonly next: number | null;
}

/** Imports and exports complete sessions. */
export interface TransferStore {
  /** Every agent session that is or was behind one of our sessions. */
  knownAgentSessions(cliType: CliType): Promise<ReadonlySet<string>>;
  /** Every agent session that was behind a session deleted here. */
  forgottenAgentSessions(cliType: CliType): Promise<ReadonlySet<string>>;
  isKnown(cliType: CliType, agentSessionId: string): Promise<boolean>;
  /** In one transaction; false when its agent session is known already. */
  adopt(adoption: Adoption): Promise<boolean>;
  /** The session that was created from a file in that project. */
  importedAs(projectId: ProjectId, digest: string): Promise<SessionId | null>;
  /** Settled entries from the oldest on, starting after `position`. */
  entriesAfter(sessionId: SessionId, position: number, limit: number): Promise<EntryRun>;
}
