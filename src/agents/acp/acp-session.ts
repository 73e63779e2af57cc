import type {
  AgentEvent,
  AgentSession,
  AgentSink,
  RejoinedSession,
  RejoinRequest,
  ToolPatch,
  TryFlush,
} from "../../ports/agents.ts";
import type { UsageLimit } from "../../protocol/conversations.ts";
import type { Part } from "../../protocol/entry.ts";
import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import { CommandId, type ElicitationId, PermissionId, TurnId } from "../../protocol/ids.ts";
import type { Json } from "../../protocol/json.ts";
import type { QuestionAnswer } from "../../protocol/question.ts";
import type { PermissionOutcome, PromptAbilities, TurnError } from "../../protocol/session-parts.ts";
import { asFailure } from "./agent-refusals.ts";
import { ClientRequestError, type ClientRequests } from "./client-requests.ts";
import type { AcpConnection } from "./connection/acp-connection.ts";
import type { AcpFailure, Asked, SessionNote } from "./connection/acp-hooks.ts";
import { commandOfSteer, offsetOfRequest, requestIdAt, turnOfPrompt } from "./connection/wire-message.ts";
import { DiffPlaces } from "./diff-places.ts";
import type { AccountStatus } from "./limits/read-limit.ts";
import { asObject, type JsonObject } from "./read-json.ts";
import { type Expected, Replay } from "./replay.ts";
import type { SubAgent } from "./sub-agents.ts";
import { legacyId, translateLegacyOptions, translateOptions } from "./translate/translate-config.ts";
import { promptBlocks, steeringOutcome } from "./translate/translate-content.ts";
import { translateTool } from "./translate/translate-tool.ts";
import { stopReasonOf, threadFailed, translatePermissionOptions, turnTokensOf } from "./translate/translate-turn.ts";
import { UpdateReader } from "./translate/translate-update.ts";

interface AcpSessionOptions {
  readonly agentSessionId: string;
  readonly connection: AcpConnection;
  readonly abilities: () => PromptAbilities;
  readonly sink: AgentSink;
  readonly processId: string | null;
  /** Together with the line of a request, forms its id. */
  readonly requestPrefix: string;
  readonly tryFlush: TryFlush;
  /** For a conversation started by an earlier server. */
  readonly past?: StoredPast;
  readonly requests: ClientRequests;
  readonly answerQuestion: (elicitationId: ElicitationId, answer: QuestionAnswer) => void;
  /** Resolves when the agent no longer works on the session; these are its open prompts. */
  readonly onClosed: (session: ClosedSession, openPrompts: readonly string[]) => Promise<void> | void;
  readonly onTurnCompleted: () => void;
  readonly refuse: (failure: AcpFailure) => Refusal;
  /** The limit that a failure is about; null for any other one. */
  readonly readLimit: (failure: AcpFailure, status: AccountStatus | null) => UsageLimit | null;
  /** The agent reported how much of its account is used. */
  readonly readAccountStatus: (update: Json) => AccountStatus | null;
  readonly onAccountStatus: (status: AccountStatus) => void;
}

/** A session that is being closed: updates about it still go to its sink. */
export interface ClosedSession {
  readonly agentSessionId: string;
  readonly sink: AgentSink;
}

/** Why a process serves its sessions no longer. */
export interface Loss {
  readonly reason: string;
  readonly state: "crashed" | "idle";
  /** Also reports the reason in the transcript of a session without a running turn. */
  readonly tell?: boolean;
  /** It had no work. */
  readonly unused?: boolean;
}

/** The stored state of a conversation. */
export type StoredPast = Pick<RejoinRequest, "lastLine" | "outcomeOf" | "answerOf">;

/** Agents' messages about failed turns are short. */
const LAST_TEXT_CHARS_MAX = 2_000;
const REQUEST_CANCELLED = -32800;

/** One conversation on an ACP connection: implements our port on one side, sends and reads ACP messages on the other. */
export class AcpSession implements RejoinedSession {
  readonly agentSessionId: string;
  origin: AgentSession["origin"] = "new";
  readonly #options: AcpSessionOptions;
  steer?: NonNullable<AgentSession["steer"]>;
  readonly #prompts = new OpenPrompts();
  readonly #updates = new UpdateReader();
  readonly #places: DiffPlaces;
  /** During journal replay: how far the session is already stored. */
  #past: StoredPast | null = null;
  #replay: Replay | null = null;
  /** From here on, usage reports are about work of this attachment. */
  #hasPrompted: boolean;
  /** The agent reported the running turn as failed in its status. */
  #isFailing = false;
  /** What the agent reported about its account in the running turn. */
  #account: AccountStatus | null = null;
  /** The end of the agent's last text. */
  #lastText = "";
  #deadline: CancelDeadline | null = null;
  #isClosing = false;

  constructor(options: AcpSessionOptions) {
    this.#options = options;
    this.agentSessionId = options.agentSessionId;
    this.#places = new DiffPlaces(options.requests.files);
    this.#past = options.past ?? null;
    this.#hasPrompted = options.past !== undefined;
    this.#offerSteering();
  }

  /** The agent's abilities are known after `initialize`, which an earlier server may have sent. */
  #offerSteering(): void {
    const { abilities, connection } = this.#options;
    if (!abilities().steering) return;
    this.steer = (commandId, content, attachments) => {
      const blocks = promptBlocks(content, attachments);
      this.#prompts.addSteered(connection.steer(this.agentSessionId, commandId, blocks));
    };
  }

  get processId(): string | null {
    return this.#options.processId;
  }

  get lastLine(): number {
    return this.#options.connection.lastLine;
  }

  get tryFlush(): TryFlush {
    return this.#options.tryFlush;
  }

  /** State that is not stored and that a later server needs. */
  get note(): SessionNote {
    return {
      agentSessionId: this.agentSessionId,
      ...this.#prompts.note,
      ...this.#updates.memory,
      terminals: [...this.#options.requests.terminalIds],
    };
  }

  restore(note: SessionNote): void {
    for (const key of note.prompts) this.onPastPrompt(key);
    for (const key of note.steered) this.onPastSteer(key);
    this.#prompts.isCancelled = note.isCancelled;
    this.#updates.restore(note);
    this.#options.requests.loseTerminals(note.terminals);
  }

  onPastPrompt(key: string): void {
    this.#prompts.addTurn(key);
    this.#options.connection.expectAnswer(key, this.agentSessionId);
  }

  onPastSteer(key: string): void {
    this.#prompts.addSteered(key);
    this.#options.connection.expectAnswer(key, this.agentSessionId);
  }

  onPastCancel(): void {
    this.#prompts.isCancelled = true;
  }

  onPastTerminal(terminalId: string): void {
    this.#options.requests.loseTerminals([terminalId]);
  }

  hasPrompted(id: TurnId | CommandId): boolean {
    return this.#prompts.wasAsked(id);
  }

  isAsking(id: PermissionId | ElicitationId): boolean {
    const offset = offsetOfRequest(this.#options.requestPrefix, id);
    return offset !== null && this.#options.connection.isAsked(offset);
  }

  hasCancelled(turnId: TurnId): boolean {
    return this.#prompts.isCancelled && this.#prompts.wasAsked(turnId);
  }

  /** The journal replay is over: all later output is new. A cancel sent by an earlier server is tracked like our own. */
  endPast(): void {
    this.#past = null;
    this.#offerSteering();
    if (this.#prompts.isCancelled) this.#expectCancel();
  }

  readonly sink = (event: AgentEvent): void => this.#emit(event);

  /** The outcome of a question that an earlier server passed on; null when it passed on none. */
  answerOf(elicitationId: ElicitationId): "open" | QuestionAnswer | null {
    return this.#past?.answerOf(elicitationId) ?? null;
  }

  /** Also for a line that an earlier server read but did not pass on. */
  ask(event: AgentEvent): void {
    this.#options.sink(event);
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get isReplaying(): boolean {
    return this.#replay !== null;
  }

  /** Until `endReplay`, updates repeat the agent's stored conversation. */
  startReplay(expected: () => Expected): Replay {
    this.#replay = new Replay(expected);
    return this.#replay;
  }

  endReplay(): void {
    this.#replay = null;
  }

  /** Modes, models and options as answered to `session/new`, `load` or `resume`. An answer without any keeps the known ones. */
  applyAnswer(answer: JsonObject): void {
    const isSilent = [answer["configOptions"], answer["modes"], answer["models"]].every((part) => part == null);
    if (!isSilent) {
      const options = translateOptions(answer["configOptions"]) ?? translateLegacyOptions(answer);
      this.#emit({ type: "options", options });
    }
    this.#emit({ type: "abilities", abilities: this.#options.abilities() });
  }

  /** Skips events that are already stored. */
  #emit(event: AgentEvent): void {
    if (!this.#isAlreadyStored) this.#options.sink(event);
  }

  get #isAlreadyStored(): boolean {
    return this.#past !== null && this.#options.connection.lastLine <= this.#past.lastLine;
  }

  onUpdate(update: Json): void {
    const status = this.#options.readAccountStatus(update);
    if (status) {
      this.#account = status;
      this.#options.onAccountStatus(status);
    }
    this.#isFailing = threadFailed(update) ?? this.#isFailing;
    for (const event of this.#updates.read(update)) {
      this.#noteText(event);
      this.#pass(event);
    }
  }

  /** A sub-agent of this session has sent something. */
  onChildEvent(event: AgentEvent): void {
    this.#pass(event);
  }

  #pass(event: AgentEvent): void {
    if (this.#replay && !this.#replay.record(event)) return;
    this.#emit(this.#completed(event));
    if (event.type === "tool") this.#options.requests.onToolPatch(event.patch);
  }

  #completed(event: AgentEvent): AgentEvent {
    if (event.type === "usage" && !this.#hasPrompted) return { ...event, isFromMemory: true };
    return event.type === "tool" ? { ...event, patch: this.#located(event.patch) } : event;
  }

  /** Only for live updates: files have changed since a replayed one. */
  #located(patch: ToolPatch): ToolPatch {
    return this.#replay || this.#isAlreadyStored ? patch : this.#places.locate(patch);
  }

  #noteText(event: AgentEvent): void {
    if (event.type === "text" && event.kind === "assistant")
      this.#lastText = (this.#lastText + event.text).slice(-LAST_TEXT_CHARS_MAX);
    else if (event.type === "text" || event.type === "tool") this.#lastText = "";
  }

  /** `child`: the sub-agent that asks. */
  onPermissionRequest({ offset, isAnswered }: Asked, params: JsonObject, child?: Pick<SubAgent, "id" | "title">): void {
    const { connection, requestPrefix } = this.#options;
    // A request from a replayed turn, which is over.
    if (this.#replay) {
      connection.answer(offset, { result: { outcome: { outcome: "cancelled" } } });
      return;
    }
    const permissionId = PermissionId.parse(requestIdAt(requestPrefix, offset));
    const call = asObject(params["toolCall"]) ?? {};
    // Some agents ask about no tool call; the request then has none.
    const translated = translateTool(call, true) ?? translateTool({ ...call, toolCallId: permissionId }, true);
    if (!translated) throw new Error("a call with an id can be translated");
    const patch = child ? { ...translated, parentToolCallId: child.id } : translated;
    this.#updates.note(patch);
    // It may have been withdrawn before its session existed.
    if (isAnswered || !connection.isAsked(offset)) return;
    const known = this.#past?.outcomeOf(permissionId) ?? null;
    if (known !== null) {
      if (known !== "open") this.answerPermission(permissionId, known);
      return;
    }
    const options = translatePermissionOptions(params["options"]);
    this.#options.sink({
      type: "permission-requested",
      permissionId,
      patch: this.#places.locate(patch),
      options,
      ...(child && { subAgent: child.title }),
    });
  }

  onPermissionWithdrawn(offset: number): void {
    const permissionId = PermissionId.parse(requestIdAt(this.#options.requestPrefix, offset));
    this.#emit({ type: "permission-withdrawn", permissionId });
  }

  /** True if the prompt belongs to this session. */
  onPromptAnswer(key: string, result: JsonObject | null, failure: AcpFailure | null): boolean {
    const commandId = this.#prompts.takeSteered(key);
    if (commandId !== undefined) {
      const outcome = failure ? "not-taken" : steeringOutcome(result);
      this.#emit({ type: "steered", commandId, outcome });
      return true;
    }
    const turnId = this.#prompts.takeTurn(key);
    if (turnId === undefined) return false;
    this.#endDeadline();
    if (failure) {
      this.#emit({ type: "turn-failed", turnId, error: this.#errorOf(failure) });
      return true;
    }
    const tokens = turnTokensOf(result);
    const reported = tokens === undefined ? {} : { tokens };
    if (this.#isFailing && stopReasonOf(result?.["stopReason"]) === "end_turn") {
      const message = this.#lastText.trim() || "The agent reported an error and ended this turn.";
      this.#emit({ type: "turn-failed", turnId, error: this.#errorOf({ code: 0, message }), ...reported });
    } else {
      this.#emit({ type: "turn-ended", turnId, stopReason: stopReasonOf(result?.["stopReason"]), ...reported });
      this.#options.onTurnCompleted();
    }
    return true;
  }

  #errorOf(failure: AcpFailure): TurnError {
    const limit = this.#options.readLimit(failure, this.#account);
    if (limit) return { ...REFUSE.agentLimit(limit.text), limit };
    const { code, message } = this.#options.refuse(failure);
    return { code, message };
  }

  onLost({ reason, state, tell = false, unused = false }: Loss): void {
    this.#endDeadline();
    this.#options.requests.stop();
    // Whoever closes it waits for the process to end and reports then.
    if (this.#isClosing) return;
    if (tell && !this.#prompts.hasTurn) this.#options.sink({ type: "notice", severity: "warning", content: reason });
    this.#options.sink({ type: "lost", reason, state, ...(unused && { unused }) });
  }

  prompt(turnId: TurnId, content: string, attachments: readonly Part[]): void {
    const blocks = promptBlocks(content, attachments);
    this.#hasPrompted = true;
    this.#isFailing = false;
    this.#account = null;
    this.#lastText = "";
    this.#prompts.addTurn(this.#options.connection.prompt(this.agentSessionId, turnId, blocks));
  }

  /** A cancel during a cancel is the same cancel: a late one must not hit the next turn. */
  cancel(): void {
    if (this.#deadline) return;
    this.#options.connection.notify("session/cancel", { sessionId: this.agentSessionId });
    this.#prompts.isCancelled = this.#prompts.hasTurn;
    this.#expectCancel();
  }

  /** The work of one sub-agent; the turn goes on. */
  stopSubAgent(toolCallId: string): void {
    this.#options.connection.notify("session/cancel", { sessionId: toolCallId });
  }

  #expectCancel(): void {
    const { connection, sink } = this.#options;
    if (!this.#prompts.hasTurn) return;
    this.#deadline = new CancelDeadline({
      insist: () => {
        for (const key of this.#prompts.turnKeys) connection.cancelPrompt(key);
      },
      giveUp: () => sink({ type: "cancel-ignored" }),
    });
  }

  answerPermission(permissionId: PermissionId, outcome: PermissionOutcome): void {
    const offset = offsetOfRequest(this.#options.requestPrefix, permissionId);
    if (offset !== null) this.#options.connection.answer(offset, { result: { outcome } });
  }

  answerQuestion(elicitationId: ElicitationId, answer: QuestionAnswer): void {
    this.#options.answerQuestion(elicitationId, answer);
  }

  configure(configId: string, value: string | boolean): Promise<void> {
    return configure(this.#options, configId, value);
  }

  #endDeadline(): void {
    this.#deadline?.[Symbol.dispose]();
    this.#deadline = null;
  }

  /** A file or terminal request of the agent for this session. */
  onRequest(method: string, params: JsonObject): Promise<object> {
    if (this.#isClosing) throw new ClientRequestError(REQUEST_CANCELLED, "The session was closed.");
    return this.#options.requests.answer(method, params);
  }

  /** Resolves when the agent has stopped working on it, by itself or because its process ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#options.requests.stop();
    this.#endDeadline();
    await this.#options.onClosed(this, this.#prompts.turnKeys);
  }
}

/** Agents stop within a second or not at all. */
const CANCEL_DEADLINE_MS = 10_000;
const GIVE_UP_MS = 5_000;

interface CancelDeadlineOptions {
  /** The cancel was ignored: the prompt request itself is cancelled. */
  readonly insist: () => void;
  /** That was ignored, too. Only the user can decide what happens to the process. */
  readonly giveUp: () => void;
}

/** Checks that a cancel takes effect. Never ends a process, because other sessions may use it. */
class CancelDeadline implements Disposable {
  #timer: ReturnType<typeof setTimeout>;

  constructor({ insist, giveUp }: CancelDeadlineOptions) {
    this.#timer = setTimeout(() => {
      insist();
      this.#timer = setTimeout(giveUp, GIVE_UP_MS);
    }, CANCEL_DEADLINE_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

interface ConfigChoicesOptions {
  readonly agentSessionId: string;
  readonly connection: AcpConnection;
  readonly sink: AgentSink;
  readonly refuse: (failure: AcpFailure) => Refusal;
}

/** Older agents have a separate method for each of these. */
const LEGACY_CHOICES = [
  { category: "mode", method: "session/set_mode", field: "modeId" },
  { category: "model", method: "session/set_model", field: "modelId" },
] as const;

/** Sends the user's choice of mode, model or option to the agent. */
async function configure(options: ConfigChoicesOptions, configId: string, value: string | boolean): Promise<void> {
  const { sink } = options;
  const legacy = LEGACY_CHOICES.find(({ category }) => configId === legacyId(category));
  if (legacy && typeof value === "string") {
    await choose(options, legacy.method, { [legacy.field]: value });
    sink({ type: "option-chosen", category: legacy.category, value });
    return;
  }
  const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
  const answer = await choose(options, "session/set_config_option", { configId, ...typed });
  const chosen = translateOptions(answer["configOptions"]);
  if (chosen) sink({ type: "options", options: chosen });
}

async function choose(
  { agentSessionId, connection, refuse }: ConfigChoicesOptions,
  method: string,
  choice: object,
): Promise<JsonObject> {
  try {
    return await connection.request(method, { sessionId: agentSessionId, ...choice });
  } catch (error) {
    const failure = asFailure(error);
    throw failure ? new RefusalError(refuse(failure)) : error;
  }
}

/** The open prompts and steering messages of one conversation by request key, including those of an earlier server. */
class OpenPrompts {
  readonly #turns = new Map<string, TurnId>();
  readonly #steered = new Map<string, CommandId>();
  /** All open request keys. */
  readonly #asked = new Set<string>();
  /** The agent was asked to stop the open prompts. */
  isCancelled = false;

  get hasTurn(): boolean {
    return this.#turns.size > 0;
  }

  get turnKeys(): readonly string[] {
    return [...this.#turns.keys()];
  }

  /** The key names the turn. */
  addTurn(key: string): void {
    const turnId = TurnId.parse(turnOfPrompt(key));
    this.#asked.add(turnId);
    this.#turns.set(key, turnId);
    this.isCancelled = false;
  }

  /** The key names the message. */
  addSteered(key: string): void {
    const commandId = CommandId.parse(commandOfSteer(key));
    this.#asked.add(commandId);
    this.#steered.set(key, commandId);
  }

  takeTurn(key: string): TurnId | undefined {
    const turnId = this.#turns.get(key);
    if (this.#turns.delete(key)) this.isCancelled = false;
    return turnId;
  }

  takeSteered(key: string): CommandId | undefined {
    const commandId = this.#steered.get(key);
    this.#steered.delete(key);
    return commandId;
  }

  wasAsked(id: TurnId | CommandId): boolean {
    return this.#asked.has(id);
  }

  get note(): Pick<SessionNote, "prompts" | "steered" | "isCancelled"> {
    return { prompts: [...this.turnKeys], steered: [...this.#steered.keys()], isCancelled: this.isCancelled };
  }
}
