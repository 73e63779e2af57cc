import type { AgentSession, AgentSink } from "../../ports/agents.ts";
import type { Part } from "../../protocol/entry.ts";
import { type Refusal, RefusalError } from "../../protocol/errors.ts";
import { type CommandId, type ElicitationId, PermissionId, type TurnId } from "../../protocol/ids.ts";
import type { Json } from "../../protocol/json.ts";
import type { QuestionAnswer } from "../../protocol/question.ts";
import type { PermissionOption, PermissionOutcome, PromptAbilities } from "../../protocol/session-parts.ts";
import type { StopReason } from "../../protocol/stop-reason.ts";
import type { AcpConnection, AcpFailure } from "./acp-connection.ts";
import { asFailure } from "./agent-refusals.ts";
import { BlankStarts } from "./blank-starts.ts";
import { CancelDeadline } from "./cancel-deadline.ts";
import type { ClientRequests } from "./client-requests.ts";
import { OwnTerminals } from "./own-terminals.ts";
import { steeringOutcome } from "./prompt-abilities.ts";
import { asArray, asObject, asString, type JsonObject } from "./read-json.ts";
import { ReplacedContent } from "./replaced-content.ts";
import { type Expected, Replay } from "./replay.ts";
import { legacyId, translateLegacyOptions, translateOptions } from "./translate-config.ts";
import { promptBlocks } from "./translate-content.ts";
import { translateTool } from "./translate-tool.ts";
import { translateUpdate } from "./translate-update.ts";

interface AcpSessionOptions {
  readonly agentSessionId: string;
  readonly connection: AcpConnection;
  readonly abilities: PromptAbilities;
  readonly sink: AgentSink;
  readonly newId: () => string;
  readonly requests: ClientRequests;
  readonly answerQuestion: (elicitationId: ElicitationId, answer: QuestionAnswer) => void;
  readonly onClosed: (session: AcpSession) => void;
  readonly onTurnCompleted: () => void;
  readonly refuse: (failure: AcpFailure) => Refusal;
}

/** Older agents have a method of its own for each of these. */
const LEGACY_CHOICES = [
  { category: "mode", method: "session/set_mode", field: "modeId" },
  { category: "model", method: "session/set_model", field: "modelId" },
] as const;

/** One conversation on an ACP connection: our port on one side, the protocol's messages on the other. */
export class AcpSession implements AgentSession {
  readonly agentSessionId: string;
  origin: AgentSession["origin"] = "new";
  readonly #options: AcpSessionOptions;
  readonly steer?: NonNullable<AgentSession["steer"]>;
  readonly #turns = new Map<string, TurnId>();
  readonly #steered = new Map<string, CommandId>();
  readonly #permissionKeys = new Map<PermissionId, string>();
  readonly #content = new ReplacedContent();
  readonly #terminals = new OwnTerminals();
  readonly #blanks = new BlankStarts();
  #replay: Replay | null = null;
  #deadline: CancelDeadline | null = null;

  constructor(options: AcpSessionOptions) {
    this.#options = options;
    this.agentSessionId = options.agentSessionId;
    if (options.abilities.steering)
      this.steer = (commandId, content, attachments) => {
        this.#steered.set(options.connection.steer(this.agentSessionId, promptBlocks(content, attachments)), commandId);
      };
  }

  get sink(): AgentSink {
    return this.#options.sink;
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

  /** Modes, models and options as `session/new`, `load` or `resume` answered them. */
  applyAnswer(answer: JsonObject): void {
    const options = translateOptions(answer["configOptions"]) ?? translateLegacyOptions(answer);
    this.#options.sink({ type: "options", options });
    this.#options.sink({ type: "abilities", abilities: this.#options.abilities });
  }

  onUpdate(update: Json): void {
    const translated = translateUpdate(update).map((event) => this.#content.complete(event, update));
    for (const event of translated.flatMap((one) => this.#terminals.complete(one, update))) {
      if (this.#blanks.isBlank(event)) continue;
      if (this.#replay && !this.#replay.hear(event)) continue;
      this.#options.sink(event);
      if (event.type === "tool") this.#options.requests.onToolPatch(event.patch);
    }
  }

  onPermissionRequest(key: string, params: JsonObject): void {
    // Asked while the agent repeats what it remembers: the turn it belongs to is over.
    if (this.#replay) {
      this.#options.connection.answerPermission(key, { outcome: "cancelled" });
      return;
    }
    const permissionId = PermissionId.parse(this.#options.newId());
    const call = asObject(params["toolCall"]) ?? {};
    // Some agents ask about no tool call at all: the question then stands for itself.
    const patch = translateTool(call, true) ?? translateTool({ ...call, toolCallId: permissionId }, true);
    if (!patch) throw new Error("a call with an id can be translated");
    this.#content.note(patch);
    this.#permissionKeys.set(permissionId, key);
    const options = translatePermissionOptions(params["options"]);
    this.#options.sink({ type: "permission-requested", permissionId, patch, options });
  }

  /** True when the withdrawn request was this session's. */
  onPermissionWithdrawn(key: string): boolean {
    for (const [permissionId, known] of this.#permissionKeys) {
      if (known !== key) continue;
      this.#permissionKeys.delete(permissionId);
      this.#options.sink({ type: "permission-withdrawn", permissionId });
      return true;
    }
    return false;
  }

  /** True when the answered prompt was this session's. */
  onPromptAnswer(key: string, result: JsonObject | null, failure: AcpFailure | null): boolean {
    const commandId = this.#steered.get(key);
    if (commandId !== undefined) {
      this.#steered.delete(key);
      const outcome = failure ? "not-taken" : steeringOutcome(result);
      this.#options.sink({ type: "steered", commandId, outcome });
      return true;
    }
    const turnId = this.#turns.get(key);
    if (turnId === undefined) return false;
    this.#turns.delete(key);
    this.#endDeadline();
    if (failure) {
      const { code, message } = this.#options.refuse(failure);
      this.#options.sink({ type: "turn-failed", turnId, error: { code, message } });
    } else {
      this.#options.sink({ type: "turn-ended", turnId, stopReason: stopReasonOf(result?.["stopReason"]) });
      this.#options.onTurnCompleted();
    }
    return true;
  }

  onLost(reason: string, state: "crashed" | "idle"): void {
    this.#endDeadline();
    this.#options.requests.stop();
    this.#options.sink({ type: "lost", reason, state });
  }

  prompt(turnId: TurnId, content: string, attachments: readonly Part[]): void {
    const blocks = promptBlocks(content, attachments);
    this.#turns.set(this.#options.connection.prompt(this.agentSessionId, blocks), turnId);
  }

  /** Cancels asked for while one is under way are the same cancel: a late one must not hit the next turn. */
  cancel(): void {
    if (this.#deadline) return;
    const { connection, sink } = this.#options;
    connection.notify("session/cancel", { sessionId: this.agentSessionId });
    if (this.#turns.size === 0) return;
    this.#deadline = new CancelDeadline({
      insist: () => {
        for (const key of this.#turns.keys()) connection.cancelPrompt(key);
      },
      giveUp: () => sink({ type: "cancel-ignored" }),
    });
  }

  answerPermission(permissionId: PermissionId, outcome: PermissionOutcome): void {
    const key = this.#permissionKeys.get(permissionId);
    if (key === undefined) return;
    this.#permissionKeys.delete(permissionId);
    this.#options.connection.answerPermission(key, outcome);
  }

  answerQuestion(elicitationId: ElicitationId, answer: QuestionAnswer): void {
    this.#options.answerQuestion(elicitationId, answer);
  }

  async configure(configId: string, value: string | boolean): Promise<void> {
    const { sink } = this.#options;
    const legacy = LEGACY_CHOICES.find(({ category }) => configId === legacyId(category));
    if (legacy && typeof value === "string") {
      await this.#choose(legacy.method, { [legacy.field]: value });
      sink({ type: "option-chosen", category: legacy.category, value });
      return;
    }
    const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
    const answer = await this.#choose("session/set_config_option", { configId, ...typed });
    const options = translateOptions(answer["configOptions"]);
    if (options) sink({ type: "options", options });
  }

  async #choose(method: string, choice: object): Promise<JsonObject> {
    try {
      return await this.#options.connection.request(method, { sessionId: this.agentSessionId, ...choice });
    } catch (error) {
      const failure = asFailure(error);
      throw failure ? new RefusalError(this.#options.refuse(failure)) : error;
    }
  }

  #endDeadline(): void {
    this.#deadline?.[Symbol.dispose]();
    this.#deadline = null;
  }

  /** The agent asks us for a file or a command of this session. */
  onRequest(method: string, params: JsonObject): Promise<object> {
    return this.#options.requests.answer(method, params);
  }

  /** The agent is asked and not waited for: what it frees, it frees in its own time. */
  async close(): Promise<void> {
    this.#options.requests.stop();
    this.#endDeadline();
    this.#options.onClosed(this);
  }
}

function translatePermissionOptions(options: Json | undefined): PermissionOption[] {
  return (asArray(options) ?? []).flatMap((item) => {
    const option = asObject(item);
    const optionId = asString(option?.["optionId"]);
    if (optionId === undefined) return [];
    return [{ optionId, name: asString(option?.["name"]) ?? optionId, kind: asString(option?.["kind"]) ?? "other" }];
  });
}

/** A missing or unknown reason counts as the ordinary end. */
function stopReasonOf(reason: Json | undefined): StopReason {
  switch (reason) {
    case "max_tokens":
    case "max_turn_requests":
    case "refusal":
    case "cancelled":
      return reason;
    default:
      return "end_turn";
  }
}
