import { type AgentEvent, CONVERSATION_EVENTS } from "../../ports/agents.ts";
import { type Entry, externalIdOf, type Part, type UserEntry } from "../../protocol/entry.ts";
import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { CommandId, type EntryId, TurnId } from "../../protocol/ids.ts";
import { reduceSession } from "../../protocol/reduce-session.ts";
import { EMPTY_SESSION, isTurnActive, type SessionState } from "../../protocol/session-schema.ts";
import { boundDepth } from "../bound-depth.ts";
import { settle } from "../commit/build-commit.ts";
import { observe } from "../rules/observe.ts";
import { EMPTY_REGISTER } from "../rules/open-requests.ts";
import type { SessionContext } from "../rules/session-context.ts";
import { endTurn, startTurn } from "../rules/turn.ts";

const ENTRIES_MAX = 50_000;
const CHARS_MAX = 100_000_000;

/** Events about the current state of the session, not about its messages. */
const SURROUNDINGS: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  "title",
  "abilities",
  "options",
  "option-chosen",
  "commands",
  "usage",
]);
interface UserMessage {
  readonly messageId: string | undefined;
  readonly at: string;
  content: string;
  readonly attachments: Part[];
}

/** A prompt for a sub-agent is part of its call. */
function isOfUser(event: AgentEvent): event is Extract<AgentEvent, { type: "text" | "part" }> {
  const isMessage = event.type === "text" || event.type === "part";
  return isMessage && event.kind === "user" && event.parentToolCallId === undefined;
}

interface ScratchOptions {
  readonly newId: () => string;
  /** For everything without a time from the agent. */
  readonly time: string;
}

/**
 * A conversation replayed by an agent, folded by the same rules as a live one, and not stored until it is
 * complete. Every user message starts a turn and ends the one before.
 */
export class ScratchTranscript {
  readonly #newId: () => string;
  readonly #entries: Entry[] = [];
  readonly #places = new Map<EntryId, number>();
  readonly #byAgentId = new Map<string, EntryId>();
  #state: SessionState = EMPTY_SESSION;
  #user: UserMessage | null = null;
  #now: string;
  #chars = 0;
  #refusal: Refusal | null = null;

  constructor({ newId, time }: ScratchOptions) {
    this.#newId = newId;
    this.#now = time;
  }

  /** Never throws, because it is called from the agent's line. `end` reports an overflow. */
  add(received: AgentEvent, at: string | null): void {
    const event = boundDepth(received);
    if (at !== null) this.#now = at;
    if (this.#refusal || this.#isTooMuch(event)) return;
    if (SURROUNDINGS.has(event.type)) this.#apply(observe(this.#context(), event).facts);
    else if (isOfUser(event)) this.#addUserContent(event);
    else if (CONVERSATION_EVENTS.has(event.type) || event.type === "notice") {
      this.#closeUser();
      if (!isTurnActive(this.#state.turn)) this.#startTurn();
      this.#apply(observe(this.#context(), event).facts);
    }
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#state.open.length === 0 && this.#user === null;
  }

  /** The complete transcript, with nothing left open. */
  end(): { readonly state: SessionState; readonly entries: readonly Entry[] } {
    if (this.#refusal) throw new RefusalError(this.#refusal);
    this.#closeUser();
    this.#endTurn();
    // The process that ran it has ended: nothing more of it arrives.
    for (const entry of this.#entries)
      if (entry.type === "tool-call" && entry.status === "running")
        this.#revise({ ...entry, status: "cancelled", unfinished: true });
    return { state: this.#state, entries: this.#entries };
  }

  #isTooMuch(event: AgentEvent): boolean {
    this.#chars += event.type === "text" ? event.text.length : JSON.stringify(event).length;
    if (this.#chars > CHARS_MAX) this.#refusal = REFUSE.limitExceeded("characters in one imported session", CHARS_MAX);
    if (this.#entries.length + this.#state.open.length >= ENTRIES_MAX)
      this.#refusal = REFUSE.limitExceeded("entries in one imported session", ENTRIES_MAX);
    return this.#refusal !== null;
  }

  /** A message arrives in pieces: text and attachments. Another id is another message. */
  #addUserContent(event: Extract<AgentEvent, { type: "text" | "part" }>): void {
    const messageId = event.type === "text" ? event.messageId : undefined;
    const other = messageId !== undefined && this.#user !== null && this.#user.messageId !== messageId;
    if (other) this.#closeUser();
    this.#user ??= { messageId, at: this.#now, content: "", attachments: [] };
    const user = this.#user;
    if (event.type === "part") user.attachments.push(event.part);
    else user.content += user.content !== "" && messageId === undefined ? `\n${event.text}` : event.text;
  }

  #closeUser(): void {
    const user = this.#user;
    if (!user) return;
    this.#user = null;
    this.#endTurn();
    const { content, attachments, at } = user;
    const item = { content, attachments, commandId: CommandId.parse(this.#newId()) };
    this.#apply(startTurn({ ...this.#context(), now: at }, item).facts);
  }

  /** An answer without a message: the earlier part is lost, or the agent started. */
  #startTurn(): void {
    const turnId = TurnId.parse(this.#newId());
    this.#apply([{ type: "session:turn", turn: { state: "running", turnId, startedAt: this.#now } }]);
  }

  #endTurn(): void {
    if (isTurnActive(this.#state.turn)) this.#apply(endTurn(this.#context(), "end_turn").facts);
  }

  #apply(facts: readonly FactBody[]): void {
    for (const fact of facts) {
      this.#state = reduceSession(this.#state, { ...fact, seq: this.#state.seq + 1 });
      if (fact.type === "session:update" && fact.late) this.#revise(fact.entry);
    }
    const { settled, working } = settle(this.#state);
    this.#state = working;
    for (const entry of settled) this.#keep(entry);
  }

  #keep(entry: Entry): void {
    this.#places.set(entry.entryId, this.#entries.length);
    this.#entries.push(entry);
    const agentId = externalIdOf(entry);
    if (agentId !== null) this.#byAgentId.set(agentId, entry.entryId);
  }

  #revise(entry: Entry): void {
    const place = this.#places.get(entry.entryId);
    if (place !== undefined) this.#entries[place] = entry;
  }

  #entry(entryId: EntryId): Entry | null {
    const place = this.#places.get(entryId);
    return place === undefined ? null : (this.#entries[place] ?? null);
  }

  #context(): SessionContext {
    return {
      state: this.#state,
      now: this.#now,
      newId: this.#newId,
      cancelling: null,
      lastSettled: this.#entries.at(-1) ?? null,
      lastUserEntry: () =>
        this.#entries.findLast(
          (entry): entry is UserEntry => entry.type === "user" && entry.parentToolCallId === undefined,
        ) ?? null,
      settledEntry: (entryId) => this.#entry(entryId),
      settledByAgentId: (agentId) => {
        const entryId = this.#byAgentId.get(agentId);
        return entryId === undefined ? null : this.#entry(entryId);
      },
      said: () =>
        this.#entries.flatMap(({ type, content }) =>
          type === "user" || type === "assistant" || type === "notice" ? [{ type, content }] : [],
        ),
      requests: EMPTY_REGISTER,
    };
  }
}
