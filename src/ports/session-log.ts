import type { Entry, Part, UserEntry } from "../protocol/entry.ts";
import type { Fact, FactBody } from "../protocol/facts.ts";
import type { EntryId, PermissionId, ProjectId, SessionId, TurnId } from "../protocol/ids.ts";
import type { PermissionOutcome } from "../protocol/session-parts.ts";
import type { SessionRow, SessionState } from "../protocol/session-schema.ts";
import type { WholeOutput } from "../protocol/shorten-entry.ts";
import type { Delegation } from "./delegation-store.ts";

/** The agent's side of a session, as far as the store must know it to bring it back. */
export interface AgentBinding {
  readonly agentSessionId: string;
  /** When the agent made that session of its own. */
  readonly createdAt: string;
  /** Exactly as given to the agent: some keep their sessions by it. */
  readonly cwd: string;
  readonly state: "active" | "idle" | "crashed" | "closed";
  readonly since: string;
  /** The agent had it before we did: it remembers something even where our transcript is empty. */
  readonly adopted?: boolean;
}

/** The `agentSessionId` of a session that no agent knows: it was read from a file, or the user chose to start afresh. */
export const NO_AGENT_SESSION = "";

/** What the next server must know to go on where this one stops. */
export interface Continuation {
  /** The agent process that outlives the server, by name. */
  readonly processId: string | null;
  /** The last line of that process whose meaning is stored. */
  readonly lastLine: number;
  /** The turn the user has asked to stop. */
  readonly cancelling: TurnId | null;
  /** Until when the agent's own copy of the conversation is known to be in the transcript; null when nobody knows. */
  readonly agentSeenAt: string | null;
}

/** No line was read from an agent, and nothing is to be stopped. */
export const NO_CONTINUATION: Continuation = { processId: null, lastLine: 0, cancelling: null, agentSeenAt: null };

/** What one burst changes; all of it is stored, or none. */
export interface Commit {
  readonly facts: readonly Fact[];
  /** The state after those facts: lists are drawn from it. */
  readonly state: SessionState;
  /** Entries that will not change any more in the ordinary course; they leave the working state for good. */
  readonly settled: readonly Entry[];
  /** The working state without them, whenever entries settled: a restart folds only the facts after it. */
  readonly snapshot: SessionState | null;
  /** Entries of earlier turns that a late update revised. */
  readonly revised: readonly Entry[];
  /** Texts too long for their entries. */
  readonly outputs: readonly WholeOutput[];
  /** So much has settled at once that the search reads it in small steps of its own. */
  readonly isSearchedLater?: boolean;
  readonly lastActiveAt: string | null;
  /** The fact the user should know of, and whether someone looks at it this moment. */
  readonly attention: { readonly seq: number; readonly isSeen: boolean } | null;
  readonly receipt: Receipt | null;
  readonly binding: AgentBinding | null;
  /** Stored with the facts, so that neither is ever without the other. */
  readonly continuation: Continuation;
}

/** The first outcome of a command, kept so that the same command again acts no second time. */
export interface Receipt {
  readonly commandId: string;
  readonly answer: string;
  readonly at: string;
}

/** A stored fact in the very form it leaves the server. */
export interface LogFrame {
  readonly seq: number;
  readonly type: FactBody["type"];
  readonly json: string;
}

export interface StoredSession {
  readonly row: SessionRow;
  readonly binding: AgentBinding;
  readonly continuation: Continuation;
  /** Settled entries are left out: `settled` is empty, `open` is what the interrupted or running turn has. */
  readonly state: SessionState;
}

/** Words of the transcript, without what surrounds them. */
export interface Said {
  readonly type: "user" | "assistant" | "notice";
  readonly content: string;
}

export interface EntryPage {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

/** A piece of a text too long for its entry. */
export interface OutputPiece {
  readonly content: string;
  readonly totalChars: number;
}

/** What of a long text is asked for; `part` as in WholeOutput. */
export interface OutputRange {
  readonly entryId: EntryId;
  readonly part: number | null;
  readonly from: number;
  readonly charsMax: number;
}

/** A message that is not sent yet. */
export interface Draft {
  readonly content: string;
  readonly attachments: readonly Part[];
}

export interface Drafts {
  read(sessionId: SessionId): Promise<Draft>;
  /** Without `attachments` those of before stay. */
  save(sessionId: SessionId, content: string, attachments?: readonly Part[]): Promise<void>;
}

/**
 * The durable truth of all sessions. Writes resolve when they survive a crash of the program, and no read returns what
 * a crash could still take back. A session has one commit under way at a time; those of several sessions may share a
 * transaction, and one that fails affects no other. Methods reject when the store does not work.
 */
export interface SessionLog {
  readonly drafts: Drafts;
  /** `delegation`: it is started for another session, or for a program outside. */
  create(row: SessionRow, binding: AgentBinding, receipt: Receipt | null, delegation?: Delegation): Promise<void>;
  commit(sessionId: SessionId, commit: Commit): Promise<void>;
  /** Everything of a session is gone, and its answer kept. */
  delete(sessionId: SessionId, receipt: Receipt | null): Promise<void>;
  /** Someone has read up to there; true when that was news. */
  markSeen(sessionId: SessionId, seq: number): Promise<boolean>;
  load(sessionId: SessionId): Promise<StoredSession | null>;
  row(sessionId: SessionId): Promise<SessionRow | null>;
  rows(projectId: ProjectId, includeArchived: boolean): Promise<readonly SessionRow[]>;
  /** Sessions whose turn had not ended when the program last did. */
  unfinished(): Promise<readonly SessionId[]>;
  /** Sessions that were attached to this agent process. */
  attachedTo(processId: string): Promise<readonly SessionId[]>;
  /** How permission requests were answered, as far as the facts about it are kept. */
  permissionOutcomes(sessionId: SessionId): Promise<ReadonlyMap<PermissionId, PermissionOutcome>>;
  /** Facts after `seq` that are in memory, for readers that follow live; null when some of them may not be. */
  recentAfter(sessionId: SessionId, seq: number, limit: number): readonly LogFrame[] | null;
  readAfter(sessionId: SessionId, seq: number, limit: number): Promise<readonly LogFrame[]>;
  /** True when every fact after `seq` is still kept, so that a reader can go on from there. */
  canResume(sessionId: SessionId, seq: number): Promise<boolean>;
  /**
   * Newest settled entries, or those before one of them; null when that one is unknown. `until` asks for all down to
   * that one instead of a number: what one answer does not hold is asked for next.
   */
  page(sessionId: SessionId, before: EntryId | null, limit: number, until?: EntryId | null): Promise<EntryPage | null>;
  /** Null when nothing was taken out of that entry. */
  output(sessionId: SessionId, range: OutputRange): Promise<OutputPiece | null>;
  settledEntry(sessionId: SessionId, entryId: EntryId): Promise<Entry | null>;
  /** A settled entry by the agent's own id of it. */
  settledByAgentId(sessionId: SessionId, agentId: string): Promise<Entry | null>;
  /** The newest message of the user in an ended turn. */
  lastUserEntry(sessionId: SessionId): Promise<UserEntry | null>;
  /** All that was said in ended turns, oldest first. */
  said(sessionId: SessionId): Promise<readonly Said[]>;
  /** How many messages the user has sent in ended turns. */
  userMessageCount(sessionId: SessionId): Promise<number>;
  /** The first one with a command's id stays. */
  saveReceipt(receipt: Receipt): Promise<void>;
  receipt(commandId: string): Promise<string | null>;
}
