import { z } from "zod/mini";
import type { Entry, Part, UserEntry } from "../protocol/entry.ts";
import type { Fact, FactBody } from "../protocol/facts.ts";
import {
  ElicitationId,
  type EntryId,
  type PermissionId,
  type ProjectId,
  type SessionId,
  type TurnId,
} from "../protocol/ids.ts";
import { QuestionAnswer } from "../protocol/question.ts";
import type { PermissionOutcome } from "../protocol/session-parts.ts";
import type { SessionRow, SessionState } from "../protocol/session-schema.ts";
import type { WholeOutput } from "../protocol/shorten-entry.ts";
import type { Delegation } from "./delegation-store.ts";

/** The agent's side of a session, as needed to restore it. */
export interface AgentBinding {
  readonly agentSessionId: string;
  /** When the agent created its session. */
  readonly createdAt: string;
  /** Exactly as given to the agent: some keep their sessions by it. */
  readonly cwd: string;
  readonly state: "active" | "idle" | "crashed" | "closed";
  readonly since: string;
  /** The agent had the conversation before we did: it may remember more than our transcript has. */
  readonly adopted?: boolean;
}

/** The `agentSessionId` of a session that no agent has: it was read from a file, or the user chose to start afresh. */
export const NO_AGENT_SESSION = "";

/** What the user answered to a question. */
export const StoredAnswer = z.object({ elicitationId: ElicitationId, answer: QuestionAnswer });
export type StoredAnswer = z.infer<typeof StoredAnswer>;

/** What the next server needs to continue where this one stopped. */
export interface Continuation {
  /** The agent process that outlives the server, by name. */
  readonly processId: string | null;
  /** The last line of that process whose events are stored. */
  readonly lastLine: number;
  /** The turn the user has asked to stop. */
  readonly cancelling: TurnId | null;
  /** Answers to questions of the running turn: one that has not reached the agent yet is sent by the next server. */
  readonly answers: readonly StoredAnswer[];
  /** Up to when the agent's own copy of the conversation is known to be in the transcript; null if unknown. */
  readonly agentSeenAt: string | null;
}

/** No line was read from an agent, and no turn is to be stopped. */
export const NO_CONTINUATION: Continuation = {
  processId: null,
  lastLine: 0,
  cancelling: null,
  answers: [],
  agentSeenAt: null,
};

/** The changes of one burst; all of them are stored, or none. */
export interface Commit {
  readonly facts: readonly Fact[];
  /** The state after those facts; lists show it. */
  readonly state: SessionState;
  /** Entries that will normally not change any more; they leave the working state for good. */
  readonly settled: readonly Entry[];
  /** The working state without them, whenever entries settled: a restart folds only the facts after it. */
  readonly snapshot: SessionState | null;
  /** Entries of earlier turns that a late update revised. */
  readonly revised: readonly Entry[];
  /** Texts too long for their entries. */
  readonly outputs: readonly WholeOutput[];
  /** Context packs for agents: with a message, or, without an entry, with the next one. */
  readonly packs?: readonly StoredPack[];
  /** So much has settled at once that it is indexed for search in separate small steps. */
  readonly isSearchedLater?: boolean;
  readonly lastActiveAt: string | null;
  /** Who used what these facts report, and when; absent where nothing was used here, as in an import. */
  readonly payer?: { readonly at: string; readonly account: string | null } | undefined;
  /** The fact the user should notice, and whether someone views the session at this moment. */
  readonly attention: { readonly seq: number; readonly isSeen: boolean } | null;
  readonly receipt: Receipt | null;
  readonly binding: AgentBinding | null;
  /** Stored with the facts in one transaction. */
  readonly continuation: Continuation;
}

/** A context pack for an agent; without an entry it goes with the next message. */
export interface StoredPack {
  readonly entryId: EntryId | null;
  readonly content: string;
}

/** The first outcome of a command, kept so that a repeated command has no second effect. */
export interface Receipt {
  readonly commandId: string;
  readonly answer: string;
  readonly at: string;
}

/** A stored fact, exactly as it is sent. */
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

/** Text of the transcript, without its structure. */
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

/** Which part of a long text is requested; `part` as in WholeOutput. */
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
 * The durable state of all sessions. Writes resolve when they survive a crash of the program, and no read returns data
 * that a crash could still lose. A session has one commit in progress at a time; those of several sessions may share a
 * transaction, and one that fails affects no other. Methods reject when the store does not work.
 */
export interface SessionLog {
  readonly drafts: Drafts;
  /** `delegation`: the session is started for another one, or for an external program. */
  create(row: SessionRow, binding: AgentBinding, receipt: Receipt | null, delegation?: Delegation): Promise<void>;
  commit(sessionId: SessionId, commit: Commit): Promise<void>;
  /** Deletes everything of a session and stores the answer. */
  delete(sessionId: SessionId, receipt: Receipt | null): Promise<void>;
  /** Someone has read up to there; true when that was a change. */
  markSeen(sessionId: SessionId, seq: number): Promise<boolean>;
  /** The user marks it unread or read; true when that was a change. */
  markUnread(sessionId: SessionId, isUnread: boolean): Promise<boolean>;
  load(sessionId: SessionId): Promise<StoredSession | null>;
  row(sessionId: SessionId): Promise<SessionRow | null>;
  rows(projectId: ProjectId, includeArchived: boolean): Promise<readonly SessionRow[]>;
  /** Sessions whose turn, or a sub-agent in them, had not ended when the program last stopped. */
  unfinished(): Promise<readonly SessionId[]>;
  /** Sessions that are to continue by themselves when a usage limit has ended, and when. */
  resuming(): Promise<readonly { readonly sessionId: SessionId; readonly resumesAt: string }[]>;
  /** Sessions whose conversation is continued in a terminal. */
  away(): Promise<readonly SessionId[]>;
  /** Sessions that were attached to this agent process. */
  attachedTo(processId: string): Promise<readonly SessionId[]>;
  /** How permission requests were answered, as far as the facts about it are kept. */
  permissionOutcomes(sessionId: SessionId): Promise<ReadonlyMap<PermissionId, PermissionOutcome>>;
  /** Facts after `seq` that are in memory, for readers that follow live; null when some of them may not be. */
  recentAfter(sessionId: SessionId, seq: number, limit: number): readonly LogFrame[] | null;
  readAfter(sessionId: SessionId, seq: number, limit: number): Promise<readonly LogFrame[]>;
  /** True if every fact after `seq` is still kept, so that a reader can continue from there. */
  canResume(sessionId: SessionId, seq: number): Promise<boolean>;
  /**
   * Newest settled entries, or those before one of them; null when that one is unknown. `until` requests everything
   * down to that entry instead of a number; what one answer does not hold has to be requested next.
   */
  page(sessionId: SessionId, before: EntryId | null, limit: number, until?: EntryId | null): Promise<EntryPage | null>;
  /** Null when no text was removed from that entry. */
  output(sessionId: SessionId, range: OutputRange): Promise<OutputPiece | null>;
  settledEntry(sessionId: SessionId, entryId: EntryId): Promise<Entry | null>;
  /** A settled entry by the agent's own id of it. */
  settledByAgentId(sessionId: SessionId, agentId: string): Promise<Entry | null>;
  /** The newest message of the user in an ended turn. */
  lastUserEntry(sessionId: SessionId): Promise<UserEntry | null>;
  /**
   * All messages in ended turns that the agent should remember, oldest first, without the packs that it got with a
   * message.
   */
  said(sessionId: SessionId): Promise<readonly Said[]>;
  /** The beginnings of the user's newest messages in ended turns, by their turns. */
  askedByTurn(
    sessionId: SessionId,
    limits: { readonly turnsMax: number; readonly charsMax: number },
  ): Promise<ReadonlyMap<TurnId, string>>;
  /** The pack an agent got with this message; null: none. */
  pack(sessionId: SessionId, entryId: EntryId): Promise<string | null>;
  /** How many messages of the user in ended turns the agent should remember. */
  userMessageCount(sessionId: SessionId): Promise<number>;
  /** The first receipt of a command id is kept. */
  saveReceipt(receipt: Receipt): Promise<void>;
  receipt(commandId: string): Promise<string | null>;
}
