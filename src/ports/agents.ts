import type { NoticeSeverity, Part, PlanItem, ToolLocation } from "../protocol/entry.ts";
import type { Refusal } from "../protocol/errors.ts";
import type { CliType, CommandId, ElicitationId, PermissionId, ProjectId, SessionId, TurnId } from "../protocol/ids.ts";
import type { Json } from "../protocol/json.ts";
import type { AgentQuestion, Question, QuestionAnswer } from "../protocol/question.ts";
import type { AgentInfo, AgentStatus } from "../protocol/server-messages.ts";
import type {
  ConfigOption,
  PermissionOption,
  PermissionOutcome,
  PromptAbilities,
  SlashCommand,
  TurnError,
  Usage,
} from "../protocol/session-parts.ts";
import type { StopReason } from "../protocol/stop-reason.ts";

/** Absent keeps what is known, a value replaces it: agents send tool calls in pieces. */
export interface ToolPatch {
  readonly toolCallId: string;
  /** The agent presents the call with this, rather than adding to one it presented before. */
  readonly announced: boolean;
  readonly name?: string;
  readonly kind?: string;
  readonly status?: "running" | "complete" | "error";
  readonly result?: string;
  readonly input?: Json;
  readonly output?: Json;
  /** The call of a sub-agent, made on behalf of that one. */
  readonly parentToolCallId?: string;
  readonly parts?: readonly Part[];
  readonly locations?: readonly ToolLocation[];
}

type MessageKind = "assistant" | "thinking" | "user";

/** Absent keeps what is known; `more` is added to the summary. */
export interface CompactionPatch {
  readonly compactionId: string;
  readonly status?: "in_progress" | "completed" | "failed" | "cancelled";
  readonly summary?: string;
  readonly more?: string;
  readonly error?: string;
}

export interface UsageReport extends Partial<Pick<Usage, "used" | "size" | "cost">> {
  /** Tokens that one question to the model took. */
  readonly callTokens?: number;
}

/** What an agent said, in our words, whichever protocol version it speaks. */
export type AgentEvent =
  | { type: "text"; kind: MessageKind; messageId?: string; text: string; parentToolCallId?: string }
  | { type: "part"; kind: MessageKind; part: Part; parentToolCallId?: string }
  | { type: "tool"; patch: ToolPatch }
  /** What a command printed, to be added to the output of the tool call that shows it. */
  | { type: "tool-output"; toolCallId: string; text: string }
  | { type: "plan"; items: readonly PlanItem[] }
  /** All that the agent remembers of the conversation, in order; `whole` is false when its beginning was left out. */
  | { type: "replayed"; events: readonly AgentEvent[]; whole: boolean }
  | { type: "notice"; severity: NoticeSeverity; content: string }
  /** The agent makes its own memory of the talk shorter. */
  | { type: "compaction"; patch: CompactionPatch }
  | { type: "title"; title: string }
  | { type: "options"; options: readonly ConfigOption[] }
  | { type: "option-chosen"; category: string; value: string }
  | { type: "commands"; commands: readonly SlashCommand[] }
  /** Absent figures are unchanged. `isFromMemory`: reported before anything was asked of this process. */
  | { type: "usage"; usage: UsageReport; isFromMemory?: true }
  /** A process is about to be attached; what it reports counts from zero. */
  | { type: "attaching" }
  | { type: "abilities"; abilities: PromptAbilities }
  /** What became of a message that was to join the running turn; `elsewhere`: the agent began work of its own with it. */
  | { type: "steered"; commandId: CommandId; outcome: "joined" | "elsewhere" | "not-taken" }
  | {
      type: "permission-requested";
      permissionId: PermissionId;
      patch: ToolPatch;
      options: readonly PermissionOption[];
    }
  /** The agent goes on in spite of a cancel. */
  | { type: "cancel-ignored" }
  /** Nothing was heard from the agent for long, in the middle of a turn. */
  | { type: "silent" }
  | { type: "permission-withdrawn"; permissionId: PermissionId }
  | { type: "question-asked"; elicitationId: ElicitationId; question: Question }
  | { type: "question-withdrawn"; elicitationId: ElicitationId }
  /** What a page was to be visited for is done. */
  | { type: "question-completed"; elicitationId: ElicitationId }
  /** Nobody was there to answer for long. */
  | { type: "question-unwatched"; elicitationId: ElicitationId }
  /** `tokens`: what the whole turn took, where the agent says so. */
  | { type: "turn-ended"; turnId: TurnId; stopReason: StopReason; tokens?: number }
  | { type: "turn-failed"; turnId: TurnId; error: TurnError; tokens?: number }
  /** The process behind the session is gone; nothing more will come until it is started again. */
  | { type: "lost"; reason: string; state: "crashed" | "closed" | "idle" }
  | { type: "unknown"; update: Json };

/** Events that become entries of the conversation itself. */
export const CONVERSATION_EVENTS: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  "text",
  "part",
  "tool",
  "tool-output",
  "plan",
]);

/** Called synchronously, in wire order. A turn's end arrives here too, after its last update. */
export type AgentSink = (event: AgentEvent) => void;

/** One conversation held by a running agent process. */
export interface AgentSession {
  readonly agentSessionId: string;
  /** How the agent came to it: `forgotten` means it had to start without its own memory of the talk. */
  readonly origin: "new" | "resumed" | "loaded" | "forgotten";
  /** The process behind it, by the name a later server finds it under; null when it ends with this server. */
  readonly processId: string | null;
  /** Number of the last line read from that process. Everything up to it has gone to the sink. */
  readonly lastLine: number;
  prompt(turnId: TurnId, content: string, attachments: readonly Part[]): void;
  /** Only where the agent offers it: a message for the running turn. What became of it comes as a `steered` event. */
  readonly steer?: (commandId: CommandId, content: string, attachments: readonly Part[]) => void;
  cancel(): void;
  answerPermission(permissionId: PermissionId, outcome: PermissionOutcome): void;
  answerQuestion(elicitationId: ElicitationId, answer: QuestionAnswer): void;
  configure(configId: string, value: string | boolean): Promise<void>;
  /**
   * Ends the agent's work on this session and frees what it holds for it; the conversation stays on its disk. Resolves
   * when the agent has stopped; one that does not stop in time is ended with its process.
   */
  close(): Promise<void>;
}

export interface RestoreRequest {
  readonly agentSessionId: string;
  /** When the agent made it, in milliseconds since 1970. */
  readonly createdAt: number;
  /** Until when the agent's copy is known to be in our transcript, likewise; null when nobody knows. */
  readonly seenAt: number | null;
  /** How many messages the user has sent in it: what the agent should remember at least. */
  readonly userMessages: number;
  /** The last of these and what the agent said after it, by which the end of a replay is known. */
  readonly last: () => Promise<{ readonly message: string; readonly answer: string }>;
}

export interface AttachRequest {
  readonly sessionId: SessionId;
  readonly projectId: ProjectId;
  readonly cliType: CliType;
  readonly cwd: string;
  /** The conversation to go on with; null starts a new one. */
  readonly restore: RestoreRequest | null;
  readonly sink: AgentSink;
  /** Nobody waits for it any more: what would only be waited for is given up. */
  readonly signal: AbortSignal;
  readonly tryFlush: TryFlush;
}

export interface ForgetRequest {
  readonly sessionId: SessionId;
  readonly cliType: CliType;
  readonly cwd: string;
  readonly agentSessionId: string;
}

/** Stores what the sink was given before the call; false when that cannot be done now. */
export type TryFlush = () => Promise<boolean>;

/** What a session knows of a conversation that has gone on without a server. */
export interface RejoinRequest {
  readonly cliType: CliType;
  readonly cwd: string;
  readonly processId: string;
  readonly agentSessionId: string;
  /** The last line whose meaning is stored: up to it the sink is told nothing again. */
  readonly lastLine: number;
  /** What became of a request for permission: still open, answered like this, or null when it is not known yet. */
  readonly outcomeOf: (permissionId: PermissionId) => "open" | PermissionOutcome | null;
  /** The user has this question. */
  readonly isOpen: (elicitationId: ElicitationId) => boolean;
  readonly sink: AgentSink;
  readonly tryFlush: TryFlush;
}

/** A conversation that was never interrupted, with what the earlier server had got done in it. */
export interface RejoinedSession extends AgentSession {
  /** Of a turn its prompt, of a message for the running turn that message. */
  hasPrompted(id: TurnId | CommandId): boolean;
  hasCancelled(turnId: TurnId): boolean;
  /** False for what the agent has taken back. */
  isAsking(id: PermissionId | ElicitationId): boolean;
}

/** What sessions need from the agents: to be attached to one. Failures are RefusalErrors that say what to do. */
export interface Agents {
  attach(request: AttachRequest): Promise<AgentSession>;
  /** Ends the process that serves this session alone, at once; of a shared one it takes nothing away. */
  end(sessionId: SessionId): Promise<void>;
  /** Deletes the agent's own copy of a conversation that is closed, where the agent offers that. */
  forget(request: ForgetRequest): Promise<void>;
  /** Processes that an earlier server left running, by name. */
  survivors(): readonly string[];
  /** To be called for every session of those, before `catchUp`; null when the process is not among them. */
  rejoin(request: RejoinRequest): RejoinedSession | null;
  /** Whoever goes on has said so: what was said meanwhile is heard now. */
  catchUp(): void;
  list(): readonly AgentInfo[];
  find(cliType: CliType): AgentInfo | null;
}

/** Takes questions that belong to no session to the user. */
export interface QuestionDesk {
  /** `answer` is called at most once, and not at all for a question that was withdrawn. */
  ask(question: AgentQuestion, answer: (answer: QuestionAnswer) => void): void;
  /** The agent has no more use for an answer; one that is not open is left alone. */
  withdraw(elicitationId: ElicitationId): void;
}

export interface AgentStatusChange {
  readonly cliType: CliType;
  /** A process of that session's own. */
  readonly sessionId?: SessionId;
  readonly status: AgentStatus;
  readonly message?: string;
  /** While it waits to be started again: when that is, as ISO 8601. */
  readonly nextTryAt?: string;
  readonly refusal?: Refusal;
}
