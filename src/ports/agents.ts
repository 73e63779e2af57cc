import type { NoticeSeverity, Part, PlanItem, ToolLocation } from "../protocol/entry.ts";
import type { Refusal } from "../protocol/errors.ts";
import type { CliType, CommandId, ElicitationId, PermissionId, ProjectId, SessionId, TurnId } from "../protocol/ids.ts";
import type { Json } from "../protocol/json.ts";
import type { AgentQuestion, Question, QuestionAnswer } from "../protocol/question.ts";
import type { AgentInfo } from "../protocol/server-messages.ts";
import type { AgentStatus } from "../protocol/session-messages.ts";
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
  /** The agent announces the call with this, rather than updating one it announced before. */
  readonly announced: boolean;
  readonly name?: string;
  readonly kind?: string;
  readonly status?: "running" | "complete" | "error" | "cancelled";
  readonly result?: string;
  readonly input?: Json;
  readonly output?: Json;
  /** The call of a sub-agent, made on behalf of that one. */
  readonly parentToolCallId?: string;
  readonly parts?: readonly Part[];
  readonly locations?: readonly ToolLocation[];
  /** The call stands for a sub-agent with a session of its own; absent `canStop` keeps what is known. */
  readonly subAgent?: { readonly canStop?: boolean };
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
  /** Tokens used by one request to the model. */
  readonly callTokens?: number;
}

/** What an agent reported, in our terms, whichever protocol version it uses. */
export type AgentEvent =
  | { type: "text"; kind: MessageKind; messageId?: string; text: string; parentToolCallId?: string }
  | { type: "part"; kind: MessageKind; part: Part; parentToolCallId?: string }
  | { type: "tool"; patch: ToolPatch }
  /** Output of a command, to be appended to the output of the tool call that shows it. */
  | { type: "tool-output"; toolCallId: string; text: string }
  | { type: "plan"; items: readonly PlanItem[] }
  /** Everything the agent remembers of the conversation, in order; `whole` is false when its beginning was left out. */
  | { type: "replayed"; events: readonly AgentEvent[]; whole: boolean }
  /** `branch`: the conversation continues in that session. */
  | { type: "notice"; severity: NoticeSeverity; content: string; branch?: { readonly sessionId: SessionId } }
  /** The agent compacts its context. */
  | { type: "compaction"; patch: CompactionPatch }
  | { type: "title"; title: string }
  | { type: "options"; options: readonly ConfigOption[] }
  | { type: "option-chosen"; category: string; value: string }
  | { type: "commands"; commands: readonly SlashCommand[] }
  /** Absent figures are unchanged. `isFromMemory`: reported before this process received its first request. */
  | { type: "usage"; usage: UsageReport; isFromMemory?: true }
  /** A process is about to be attached; what it reports counts from zero. */
  | { type: "attaching" }
  | { type: "abilities"; abilities: PromptAbilities }
  /**
   * The outcome of a message that was to join the running turn; `elsewhere`: the agent started work of its own with it.
   */
  | { type: "steered"; commandId: CommandId; outcome: "joined" | "elsewhere" | "not-taken" }
  | {
      type: "permission-requested";
      permissionId: PermissionId;
      patch: ToolPatch;
      options: readonly PermissionOption[];
      /** The name of the sub-agent that asks. */
      subAgent?: string;
    }
  /** The agent continues in spite of a cancel. */
  | { type: "cancel-ignored" }
  /** The agent has sent nothing for a long time in the middle of a turn. */
  | { type: "silent" }
  | { type: "permission-withdrawn"; permissionId: PermissionId }
  | { type: "question-asked"; elicitationId: ElicitationId; question: Question }
  | { type: "question-withdrawn"; elicitationId: ElicitationId }
  /** The page that the user was asked to visit is no longer needed. */
  | { type: "question-completed"; elicitationId: ElicitationId }
  /** No client has been connected for a long time. */
  | { type: "question-unwatched"; elicitationId: ElicitationId }
  /** `tokens`: usage of the whole turn, if the agent reports it. */
  | { type: "turn-ended"; turnId: TurnId; stopReason: StopReason; tokens?: number }
  | { type: "turn-failed"; turnId: TurnId; error: TurnError; tokens?: number }
  /**
  /**
   * The process behind the session has ended; no more events arrive until it is started again. `unused`: it was put away
   * because it had no work: a turn that has begun meanwhile has not reached it. `turnId`: the turn that ran when it was told
   * to end, or null; a later one waits for the next process, and goes on.
   */
  | {
      type: "lost";
      reason: string;
      state: "crashed" | "closed" | "idle";
      unused?: true;
      turnId?: TurnId | null;
    }
  | { type: "unknown"; update: Json };

/** Events that become entries of the conversation. */
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
  /** How the agent was attached; `forgotten`: it had to start without its own memory of the conversation. */
  readonly origin: "new" | "resumed" | "loaded" | "forgotten";
  /** The process behind it, by the name under which a later server finds it; null when it ends with this server. */
  readonly processId: string | null;
  /** Number of the last line read from that process. Everything up to it has been passed to the sink. */
  readonly lastLine: number;
  prompt(turnId: TurnId, content: string, attachments: readonly Part[]): void;
  /** Only if the agent supports it: a message for the running turn. Its outcome arrives as a `steered` event. */
  readonly steer?: (commandId: CommandId, content: string, attachments: readonly Part[]) => void;
  cancel(): void;
  /** Stops the sub-agent that this call stands for; the turn continues. */
  stopSubAgent(toolCallId: string): void;
  answerPermission(permissionId: PermissionId, outcome: PermissionOutcome): void;
  answerQuestion(elicitationId: ElicitationId, answer: QuestionAnswer): void;
  configure(configId: string, value: string | boolean): Promise<void>;
  /**
   * Ends the agent's work on this session and frees its resources; the agent's stored conversation stays. Resolves
   * when the agent has stopped; one that does not stop in time is ended with its process.
   */
  close(): Promise<void>;
}

export interface RestoreRequest {
  readonly agentSessionId: string;
  /** When the agent made it, in milliseconds since 1970. */
  readonly createdAt: number;
  /** Up to when the agent's copy is known to be in our transcript, likewise; null if unknown. */
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
  /** The conversation to continue; null starts a new one. */
  readonly restore: RestoreRequest | null;
  readonly sink: AgentSink;
  /** The caller no longer waits: pure waiting is aborted. */
  readonly signal: AbortSignal;
  readonly tryFlush: TryFlush;
}

export type ExpectedUse = Pick<AttachRequest, "cliType" | "sessionId">;

export interface ForgetRequest {
  readonly sessionId: SessionId;
  readonly cliType: CliType;
  readonly cwd: string;
  readonly agentSessionId: string;
}

export interface ForkRequest {
  readonly cliType: CliType;
  readonly cwd: string;
  readonly agentSessionId: string;
  /** The agent's id of the message whose turn the copy ends with; null: all of it. */
  readonly anchor: string | null;
}

/** Stores what the sink received before the call; false when that is not possible now. */
export type TryFlush = () => Promise<boolean>;

/** The state of a session whose conversation has continued without a server. */
export interface RejoinRequest {
  readonly cliType: CliType;
  readonly cwd: string;
  readonly processId: string;
  readonly agentSessionId: string;
  /** The last line whose events are stored: lines up to it are not passed to the sink again. */
  readonly lastLine: number;
  /** The outcome of a permission request: still open, answered like this, or null when it is unknown. */
  readonly outcomeOf: (permissionId: PermissionId) => "open" | PermissionOutcome | null;
  /** The outcome of a question: still open, answered like this, or null when it is unknown. */
  readonly answerOf: (elicitationId: ElicitationId) => "open" | QuestionAnswer | null;
  readonly sink: AgentSink;
  readonly tryFlush: TryFlush;
}

/** A conversation that was never interrupted, with the requests that the earlier server completed in it. */
export interface RejoinedSession extends AgentSession {
  /** The prompt of a turn, or the message for a running turn. */
  hasPrompted(id: TurnId | CommandId): boolean;
  hasCancelled(turnId: TurnId): boolean;
  /** False for a request that the agent has withdrawn. */
  isAsking(id: PermissionId | ElicitationId): boolean;
}

/** What sessions need from agents: attaching to one. Failures are RefusalErrors that say what to do. */
export interface Agents {
  attach(request: AttachRequest): Promise<AgentSession>;
  /**
   * The session is about to use its agent: until this is disposed, once or more often, the process that serves it counts
   * as busy, running or not yet.
   */
  expect(use: ExpectedUse): Disposable;
  /** Ends the process that serves only this session, at once; a shared process is not affected. */
  end(sessionId: SessionId): Promise<void>;
  /** Ends the process that serves or served this session, unless it is in use; its resources are then free. */
  rest(cliType: CliType, sessionId: SessionId): void;
  /** Deletes the agent's own copy of a conversation that is closed, where the agent offers that. */
  forget(request: ForgetRequest): Promise<void>;
  /**
   * A copy of a conversation in the agent's own memory, by its id there. Null if the agent does not offer that, is not
   * known to cut at a message, or refuses.
   */
  fork(request: ForkRequest): Promise<string | null>;
  /** Processes that an earlier server left running, by name. */
  survivors(): readonly string[];
  /** To be called for every session of those processes, before `catchUp`; null when its process is not among them. */
  rejoin(request: RejoinRequest): RejoinedSession | null;
  /** All sessions have attached: the output received meanwhile is processed now. */
  catchUp(): void;
  list(): readonly AgentInfo[];
  find(cliType: CliType): AgentInfo | null;
}

/** Passes questions that belong to no session to the user. */
export interface QuestionDesk {
  /** `answer` is called at most once, and not at all for a question that was withdrawn. */
  ask(question: AgentQuestion, answer: (answer: QuestionAnswer) => void): void;
  /** The agent no longer needs an answer; a question that is not open is ignored. */
  withdraw(elicitationId: ElicitationId): void;
}

export interface AgentStatusChange {
  readonly cliType: CliType;
  /** The process of one session alone. */
  readonly sessionId?: SessionId;
  readonly status: AgentStatus;
  readonly message?: string;
  /** While it waits for a restart: the time of the restart, as ISO 8601. */
  readonly nextTryAt?: string;
  readonly refusal?: Refusal;
}
