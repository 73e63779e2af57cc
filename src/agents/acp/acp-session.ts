import type {
  AgentEvent,
  AgentSession,
  AgentSink,
  RejoinedSession,
  RejoinRequest,
  ToolPatch,
  TryFlush,
} from "../../ports/agents.ts";
import type { Part } from "../../protocol/entry.ts";
import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import { CommandId, type ElicitationId, PermissionId, TurnId } from "../../protocol/ids.ts";
import type { Json } from "../../protocol/json.ts";
import type { QuestionAnswer } from "../../protocol/question.ts";
import type { PermissionOutcome, PromptAbilities } from "../../protocol/session-parts.ts";
import { asFailure } from "./agent-refusals.ts";
import { ClientRequestError, type ClientRequests } from "./client-requests.ts";
import type { AcpConnection } from "./connection/acp-connection.ts";
import type { AcpFailure, Asked, SessionNote } from "./connection/acp-hooks.ts";
import { commandOfSteer, offsetOfRequest, requestIdAt, turnOfPrompt } from "./connection/wire-message.ts";
import { DiffPlaces } from "./diff-places.ts";
import { asObject, type JsonObject } from "./read-json.ts";
import { type Expected, Replay } from "./replay.ts";
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
  /** With the line a request came in, its id. */
  readonly requestPrefix: string;
  readonly tryFlush: TryFlush;
  /** For a conversation of an earlier server. */
  readonly past?: StoredPast;
  readonly requests: ClientRequests;
  readonly answerQuestion: (elicitationId: ElicitationId, answer: QuestionAnswer) => void;
  /** Resolves when the agent no longer works on the session, whose open prompts are these. */
  readonly onClosed: (session: ClosedSession, openPrompts: readonly string[]) => Promise<void> | void;
  readonly onTurnCompleted: () => void;
  readonly refuse: (failure: AcpFailure) => Refusal;
}

/** A session that is being closed: what the agent still says about it goes to its sink. */
export interface ClosedSession {
  readonly agentSessionId: string;
  readonly sink: AgentSink;
}

/** What a session has stored of a conversation. */
export type StoredPast = Pick<RejoinRequest, "lastLine" | "outcomeOf" | "isOpen">;

/** What an agent says about a failed turn is short. */
const LAST_TEXT_CHARS_MAX = 2_000;
const REQUEST_CANCELLED = -32800;

/** One conversation on an ACP connection: our port on one side, the protocol's messages on the other. */
export class AcpSession implements RejoinedSession {
  readonly agentSessionId: string;
  origin: AgentSession["origin"] = "new";
  readonly #options: AcpSessionOptions;
  steer?: NonNullable<AgentSession["steer"]>;
  readonly #prompts = new OpenPrompts();
  readonly #updates = new UpdateReader();
  readonly #places: DiffPlaces;
  /** While an earlier server's talk is gone through: what of it the session has stored. */
  #past: StoredPast | null = null;
  #replay: Replay | null = null;
  /** A later report of usage is about work of this attachment. */
  #hasPrompted: boolean;
  /** The agent's own status says that the running turn failed. */
  #isFailing = false;
  /** The end of the text that the agent said last. */
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

  /** What the agent can take is known once it has been greeted, maybe by an earlier server. */
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

  /** What is not stored and a later server needs. */
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

  /** The past is over: everything the agent says is news. A cancel it was told of is waited for as if we had sent it. */
  endPast(): void {
    this.#past = null;
    this.#offerSteering();
    if (this.#prompts.isCancelled) this.#expectCancel();
  }

  readonly sink = (event: AgentEvent): void => this.#tell(event);

  /** The user has this question since an earlier server. */
  isOpen(elicitationId: ElicitationId): boolean {
    return this.#past?.isOpen(elicitationId) ?? false;
  }

  /** Also for a line that an earlier server read: nobody was asked this question yet. */
  ask(event: AgentEvent): void {
    this.#options.sink(event);
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get isReplaying(): boolean {
    return this.#replay !== null;
  }

  /** From here to `endReplay` what the agent says is what it remembers. */
  startReplay(expected: () => Expected): Replay {
    this.#replay = new Replay(expected);
    return this.#replay;
  }

  endReplay(): void {
    this.#replay = null;
  }

  /** Modes, models and options as `session/new`, `load` or `resume` answered them. An answer without any keeps them. */
  applyAnswer(answer: JsonObject): void {
    const isSilent = [answer["configOptions"], answer["modes"], answer["models"]].every((part) => part == null);
    if (!isSilent) {
      const options = translateOptions(answer["configOptions"]) ?? translateLegacyOptions(answer);
      this.#tell({ type: "options", options });
    }
    this.#tell({ type: "abilities", abilities: this.#options.abilities() });
  }

  /** What is stored already is not said again. */
  #tell(event: AgentEvent): void {
    if (!this.#isHeardBefore) this.#options.sink(event);
  }

  get #isHeardBefore(): boolean {
    return this.#past !== null && this.#options.connection.lastLine <= this.#past.lastLine;
  }

  onUpdate(update: Json): void {
    this.#isFailing = threadFailed(update) ?? this.#isFailing;
    for (const event of this.#updates.read(update)) {
      this.#noteText(event);
      if (this.#replay && !this.#replay.hear(event)) continue;
      this.#tell(this.#completed(event));
      if (event.type === "tool") this.#options.requests.onToolPatch(event.patch);
    }
  }

  #completed(event: AgentEvent): AgentEvent {
    if (event.type === "usage" && !this.#hasPrompted) return { ...event, isFromMemory: true };
    return event.type === "tool" ? { ...event, patch: this.#located(event.patch) } : event;
  }

  /** Of what the agent does now; the files have changed since what it remembers. */
  #located(patch: ToolPatch): ToolPatch {
    return this.#replay || this.#isHeardBefore ? patch : this.#places.locate(patch);
  }

  #noteText(event: AgentEvent): void {
    if (event.type === "text" && event.kind === "assistant")
      this.#lastText = (this.#lastText + event.text).slice(-LAST_TEXT_CHARS_MAX);
    else if (event.type === "text" || event.type === "tool") this.#lastText = "";
  }

  onPermissionRequest({ offset, isAnswered }: Asked, params: JsonObject): void {
    const { connection, requestPrefix } = this.#options;
    // Asked while the agent repeats what it remembers: the turn it belongs to is over.
    if (this.#replay) {
      connection.answer(offset, { result: { outcome: { outcome: "cancelled" } } });
      return;
    }
    const permissionId = PermissionId.parse(requestIdAt(requestPrefix, offset));
    const call = asObject(params["toolCall"]) ?? {};
    // Some agents ask about no tool call at all: the question then stands for itself.
    const patch = translateTool(call, true) ?? translateTool({ ...call, toolCallId: permissionId }, true);
    if (!patch) throw new Error("a call with an id can be translated");
    this.#updates.note(patch);
    // It may have been withdrawn before its session was there.
    if (isAnswered || !connection.isAsked(offset)) return;
    const known = this.#past?.outcomeOf(permissionId) ?? null;
    if (known !== null) {
      if (known !== "open") this.answerPermission(permissionId, known);
      return;
    }
    const options = translatePermissionOptions(params["options"]);
    this.#options.sink({ type: "permission-requested", permissionId, patch: this.#places.locate(patch), options });
  }

  onPermissionWithdrawn(offset: number): void {
    const permissionId = PermissionId.parse(requestIdAt(this.#options.requestPrefix, offset));
    this.#tell({ type: "permission-withdrawn", permissionId });
  }

  /** True when the answered prompt was this session's. */
  onPromptAnswer(key: string, result: JsonObject | null, failure: AcpFailure | null): boolean {
    const commandId = this.#prompts.takeSteered(key);
    if (commandId !== undefined) {
      const outcome = failure ? "not-taken" : steeringOutcome(result);
      this.#tell({ type: "steered", commandId, outcome });
      return true;
    }
    const turnId = this.#prompts.takeTurn(key);
    if (turnId === undefined) return false;
    this.#endDeadline();
    if (failure) {
      const { code, message } = this.#options.refuse(failure);
      this.#tell({ type: "turn-failed", turnId, error: { code, message } });
      return true;
    }
    const tokens = turnTokensOf(result);
    const reported = tokens === undefined ? {} : { tokens };
    if (this.#isFailing && stopReasonOf(result?.["stopReason"]) === "end_turn") {
      const message = this.#lastText.trim() || "The agent reported an error and ended this turn.";
      this.#tell({ type: "turn-failed", turnId, error: REFUSE.agentProtocol(message), ...reported });
    } else {
      this.#tell({ type: "turn-ended", turnId, stopReason: stopReasonOf(result?.["stopReason"]), ...reported });
      this.#options.onTurnCompleted();
    }
    return true;
  }

  /** `tell`: also a session without a running turn is told why, in its transcript. */
  onLost(reason: string, state: "crashed" | "idle", tell: boolean): void {
    this.#endDeadline();
    this.#options.requests.stop();
    // Whoever closes it waits for the end of the process, and says so then.
    if (this.#isClosing) return;
    if (tell && !this.#prompts.hasTurn) this.#options.sink({ type: "notice", severity: "warning", content: reason });
    this.#options.sink({ type: "lost", reason, state });
  }

  prompt(turnId: TurnId, content: string, attachments: readonly Part[]): void {
    const blocks = promptBlocks(content, attachments);
    this.#hasPrompted = true;
    this.#isFailing = false;
    this.#lastText = "";
    this.#prompts.addTurn(this.#options.connection.prompt(this.agentSessionId, turnId, blocks));
  }

  /** Cancels asked for while one is under way are the same cancel: a late one must not hit the next turn. */
  cancel(): void {
    if (this.#deadline) return;
    this.#options.connection.notify("session/cancel", { sessionId: this.agentSessionId });
    this.#prompts.isCancelled = this.#prompts.hasTurn;
    this.#expectCancel();
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

  /** The agent asks us for a file or a command of this session. */
  onRequest(method: string, params: JsonObject): Promise<object> {
    if (this.#isClosing) throw new ClientRequestError(REQUEST_CANCELLED, "The session was closed.");
    return this.#options.requests.answer(method, params);
  }

  /** Resolves when the agent has stopped working on it, by itself or because its process was ended. */
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
  /** A plain cancel was not enough: the request itself is withdrawn. */
  readonly insist: () => void;
  /** That was not enough either; only the user can decide what happens to the process. */
  readonly giveUp: () => void;
}

/** Watches whether a cancel is heeded. It never ends a process: other sessions may work in it. */
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

/** Older agents have a method of its own for each of these. */
const LEGACY_CHOICES = [
  { category: "mode", method: "session/set_mode", field: "modeId" },
  { category: "model", method: "session/set_model", field: "modelId" },
] as const;

/** The user's choice of mode, model and options, told to the agent. */
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

/** What one conversation has asked its agent and waits for, by the keys of the requests; an earlier server's included. */
class OpenPrompts {
  readonly #turns = new Map<string, TurnId>();
  readonly #steered = new Map<string, CommandId>();
  /** Everything that is known to have been asked. */
  readonly #asked = new Set<string>();
  /** The agent was told to stop what is open. */
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
