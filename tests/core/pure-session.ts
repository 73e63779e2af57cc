import type { AgentEvent } from "../../src/ports/agents.ts";
import type { Said } from "../../src/ports/session-log.ts";
import type { LimitsResume } from "../../src/protocol/conversations.ts";
import { type Entry, externalIdOf, type ToolCallEntry } from "../../src/protocol/entry.ts";
import type { Fact, FactBody } from "../../src/protocol/facts.ts";
import { entriesOf } from "../../src/protocol/fold-message.ts";
import type { TurnId } from "../../src/protocol/ids.ts";
import { reduceSession } from "../../src/protocol/reduce-session.ts";
import { EMPTY_SESSION, isTurnActive, type SessionState } from "../../src/protocol/session-schema.ts";
import type { WholeOutput } from "../../src/protocol/shorten-entry.ts";
import type { StopReason } from "../../src/protocol/stop-reason.ts";
import { offloadOutput } from "../../src/sessions/commit/offload-output.ts";
import { decide } from "../../src/sessions/rules/decide.ts";
import { observe } from "../../src/sessions/rules/observe.ts";
import { advanceRegister, EMPTY_REGISTER } from "../../src/sessions/rules/open-requests.ts";
import type {
  Decision,
  Effect,
  Observed,
  Outcome,
  RequestRegister,
  SessionContext,
} from "../../src/sessions/rules/session-context.ts";
import { NOW, SESSION } from "./names.ts";

type Command = Parameters<typeof decide>[1];
type WithoutSession<Each> = Each extends Command ? Omit<Each, "sessionId"> : never;
type ToolPatch = Extract<AgentEvent, { type: "tool" }>["patch"];

/** The domain without disk, clock and agent: decides, observes and folds, and keeps the whole transcript in its state. */
export class PureSession {
  /** The current time; tests set it. */
  now = NOW;
  state: SessionState;
  /** All facts so far, in order. */
  readonly facts: Fact[] = [];
  readonly effects: Effect[] = [];
  requests: RequestRegister = EMPTY_REGISTER;
  /** The policy's immediate verdict on a request; by default every request is the user's. */
  consider: NonNullable<SessionContext["consider"]> = () => ({ decides: false });
  /** What happens to it when a usage limit ends. */
  limitsResume: LimitsResume = "ask";
  /** What was too long for its entry, by entry and part. */
  readonly outputs = new Map<string, string>();
  #cancelling: TurnId | null = null;
  #ids = 0;

  constructor(state: Partial<SessionState> = {}) {
    this.state = { ...EMPTY_SESSION, ...state };
  }

  get entries(): readonly Entry[] {
    return entriesOf(this.state);
  }

  get tools(): readonly ToolCallEntry[] {
    return this.entries.filter((entry) => entry.type === "tool-call");
  }

  /** Kind and text of every entry. */
  get told(): readonly (readonly [Entry["type"], string])[] {
    return this.entries.map((entry) => [entry.type, entry.content]);
  }

  get turn(): TurnId {
    const { turnId } = this.state.turn;
    if (turnId === undefined) throw new Error("no turn has begun");
    return turnId;
  }

  /** The facts of what follows, without their numbers. */
  since(act: () => void): FactBody[] {
    const before = this.facts.length;
    act();
    return this.facts.slice(before).map(({ sessionId: _, seq: __, ...body }) => body);
  }

  tell(command: WithoutSession<Command>): Decision {
    const decision = decide(this.context(), { ...command, sessionId: SESSION });
    if (decision.ok) this.#apply(decision);
    return decision;
  }

  hear(...events: Observed[]): void {
    for (const event of events) this.#apply(observe(this.context(), event), event);
  }

  /** A turn begins with the user's words. */
  start(content = "go"): this {
    this.tell({ type: "session:send", content });
    return this;
  }

  end(stopReason: StopReason = "end_turn"): this {
    this.hear({ type: "turn-ended", turnId: this.turn, stopReason });
    return this;
  }

  text(text: string, messageId?: string, kind: "assistant" | "thinking" | "user" = "assistant"): void {
    this.hear({ type: "text", kind, text, ...(messageId !== undefined && { messageId }) });
  }

  /** `tool_call` */
  announce(toolCallId: string, patch: Partial<ToolPatch> = {}): void {
    this.hear({ type: "tool", patch: { toolCallId, announced: true, ...patch } });
  }

  /** `tool_call_update` */
  patch(toolCallId: string, patch: Partial<ToolPatch> = {}): void {
    this.hear({ type: "tool", patch: { toolCallId, announced: false, ...patch } });
  }

  context(): SessionContext {
    const { settled } = this.state;
    return {
      state: this.state,
      now: this.now,
      newId: () => `id-${++this.#ids}`,
      cancelling: this.#cancelling,
      lastSettled: settled.findLast((entry) => entry.type !== "notice" || !entry.turnEnd) ?? null,
      lastUserEntry: () => settled.findLast((entry) => entry.type === "user") ?? null,
      said: () => (isTurnActive(this.state.turn) ? settled : this.entries).flatMap(saidIn),
      settledEntry: (entryId) => settled.findLast((entry) => entry.entryId === entryId) ?? null,
      settledByAgentId: (agentId) => settled.findLast((entry) => externalIdOf(entry) === agentId) ?? null,
      requests: this.requests,
      limitsResume: () => this.limitsResume,
      consider: this.consider,
    };
  }

  #keep({ entryId, part, start, text }: WholeOutput): void {
    const key = part === null ? entryId : `${entryId}/${part}`;
    const before = start === 0 ? "" : (this.outputs.get(key) ?? "");
    if (before.length !== start) throw new Error(`a piece at ${start} after ${before.length} characters`);
    this.outputs.set(key, before + text);
  }

  #apply({ facts, effects }: Outcome, event?: Observed): void {
    const { pending } = this.state;
    this.requests = advanceRegister(this.requests, { pending, facts, effects, ...(event && { event }) });
    for (const whole of facts) {
      const settled = (entryId: string) => this.state.settled.findLast((entry) => entry.entryId === entryId) ?? null;
      const { fact: body, outputs } = offloadOutput(this.state, whole, settled);
      for (const output of outputs) this.#keep(output);
      const fact: Fact = { ...body, sessionId: SESSION, seq: this.state.seq + 1 };
      this.facts.push(fact);
      this.state = reduceSession(this.state, fact);
    }
    this.effects.push(...effects);
    if (!isTurnActive(this.state.turn)) this.#cancelling = null;
    for (const effect of effects) if (effect.type === "cancel") this.#cancelling = effect.turnId;
  }
}

function saidIn({ type, content }: Entry): Said[] {
  return type === "user" || type === "assistant" || type === "notice" ? [{ type, content }] : [];
}
