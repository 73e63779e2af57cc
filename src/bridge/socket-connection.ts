import type { Gate } from "../access/gate.ts";
import type { Presence } from "../access/presence.ts";
import type { Feed, Frame } from "../fanout/feed.ts";
import type { Broadcast } from "../fanout/hub.ts";
import type { Subscription } from "../fanout/subscription.ts";
import { TaskQueue } from "../lib/task-queue.ts";
import type { ChangesScope } from "../protocol/changes.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE, type Refusal, RefusalError } from "../protocol/errors.ts";
import { type Fact, GLOBAL_FACTS } from "../protocol/facts.ts";
import { Seq, SessionId } from "../protocol/ids.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import type { Answer } from "../sessions/answer.ts";
import { type Actor, type AttachedTerminal, answerMessage, type MessageDeps } from "./answer-message.ts";
import { readClientFrame } from "./read-client-frame.ts";

const FOLLOWED_SESSIONS_MAX = 500;
const ATTACHED_TERMINALS_MAX = 100;
const READ_AGAIN_MS = 250;

export interface ConnectionDeps extends MessageDeps {
  readonly feed: Feed;
  /** Decides who may send and receive what. */
  readonly gate: Gate;
  readonly presence: Presence;
  readonly hello: () => Hello;
  /** The refusal while nothing can be stored; null otherwise. */
  readonly unwritable: () => Refusal | null;
  /** A client has seen more of a session than is stored. */
  readonly onShortLog: (sessionId: SessionId, known: number, stored: number) => void;
  readonly onError: (error: unknown) => void;
}

/** The raw socket, as far as a connection needs it: false means "full, retry later". */
export interface FrameSink {
  send(frame: string | Uint8Array<ArrayBuffer>): boolean;
}

/** A client that views the changes of agents. */
interface ChangesView {
  readonly scope: ChangesScope;
  watching: Disposable | null;
  isReading: boolean;
  isStale: boolean;
}

type Hello = Extract<PlainServerMessage, { type: "hello" }>;
type Open = Extract<ClientMessage, { type: "session:open" }>;

/** One client: validates its messages, follows the sessions it opened, and repeats request ids on answers. */
export class SocketConnection implements Disposable {
  readonly #deps: ConnectionDeps;
  readonly #sink: FrameSink;
  readonly #subscriptions = new Map<SessionId, Subscription>();
  readonly #listening: Disposable;
  /** Requests that a published message or a pending fact will answer. */
  readonly #awaitedMessages = new Map<PlainServerMessage, string>();
  readonly #awaitedFacts = new Map<string, string>();
  /** Broadcasts that were already sent: an answer that a slow disk held up until then is sent by itself. */
  readonly #passed = new WeakSet<object>();
  /** Answers about facts that this client has not received yet; sent too early they would make it skip those. */
  #heldAnswers: { readonly sessionId: SessionId; readonly seq: number; readonly frame: string }[] = [];
  /** The sessions this client shows; null until it reports any, and then all followed sessions count as shown. */
  #showing: Set<SessionId> | null = null;
  readonly #changesViews = new Map<SessionId, ChangesView>();
  /** Terminals that this client shows; without a reader until it is connected. */
  readonly #terminals = new Map<string, { reader: AttachedTerminal | null }>();
  readonly #following = new TaskQueue();
  /** On whose behalf. */
  readonly #person: PersonId;
  /** Messages of a person with limited rights are checked in order, and so is what they receive. */
  readonly #checking = new TaskQueue();
  readonly #hearing = new TaskQueue();
  #writable = true;
  #closed = false;

  constructor(deps: ConnectionDeps, sink: FrameSink, person: PersonId) {
    this.#deps = deps;
    this.#sink = sink;
    this.#person = person;
    this.#greet();
    this.#listening = deps.feed.hub.listen((batch) => this.#onBroadcasts(batch));
  }

  /** Rights changed to others without any limits. */
  tellStanding(): void {
    const person = this.#deps.gate.standing(this.#person);
    this.#sendMessage({ type: "person:standing", ...(person && { person }) }, undefined);
  }

  /** Before anything else: all other messages wait for it. */
  #greet(): void {
    const { gate, hello, onError } = this.#deps;
    const person = gate.standing(this.#person);
    const whole = { ...hello(), ...(person && { person }) };
    if (gate.isUnlimited(this.#person)) {
      this.#sendMessage(whole, undefined);
      return;
    }
    const greeted = gate.part(this.#person, whole).then((part) => {
      if (part) this.#sendMessage(part, undefined);
    });
    for (const queue of [this.#checking, this.#hearing]) queue.run(() => greeted).catch(onError);
  }

  receive(data: string | Uint8Array): void {
    const read = readClientFrame(data);
    if (read.ok) this.#handle(read.message).catch(this.#deps.onError);
    else this.#refuse(read.refusal, read.about);
  }

  /** The socket is writable again: readers continue from their cursors. */
  drained(): void {
    this.#writable = true;
    for (const subscription of this.#subscriptions.values()) subscription.pump();
    this.#releaseAnswers();
  }

  #releaseAnswers(): void {
    const held = this.#heldAnswers;
    this.#heldAnswers = [];
    for (const { sessionId, seq, frame } of held) this.#answerInPlace(sessionId, seq, frame);
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#deps.sessions.viewerLeft(this);
    this.#deps.presence.hide(this);
    this.#listening[Symbol.dispose]();
    for (const subscription of this.#subscriptions.values()) subscription[Symbol.dispose]();
    this.#subscriptions.clear();
    for (const { watching } of this.#changesViews.values()) watching?.[Symbol.dispose]();
    this.#changesViews.clear();
    for (const { reader } of this.#terminals.values()) reader?.[Symbol.dispose]();
    this.#terminals.clear();
  }

  async #handle(message: ClientMessage): Promise<void> {
    try {
      const refusal = await this.#refusalOf(message);
      if (refusal) this.#refuse(refusal, message);
      else if (message.type === "session:open") await this.#inOrder(() => this.#open(message));
      else if (message.type === "session:close") await this.#inOrder(async () => this.#close(message));
      else if (message.type === "session:seen") await this.#inOrder(() => this.#seen(message));
      else if (message.type === "changes:open") await this.#openChanges(message);
      else if (message.type === "changes:close") this.#closeChanges(message);
      else if (
        message.type === "terminal:attach" ||
        message.type === "terminal:detach" ||
        message.type === "terminal:ack"
      )
        await this.#followTerminal(message);
      else {
        const isForTerminal =
          message.type === "terminal:input" || message.type === "terminal:resize" || message.type === "terminal:close";
        const forwarded = isForTerminal ? this.#deps.terminals.forward(message, this) : null;
        const answer = await (forwarded ?? answerMessage(this.#deps, message, actorOf(this.#deps.gate, this.#person)));
        this.#answer(message, await this.#ownPart(answer));
        if (message.type === "session:draft" && answer.kind === "ok") this.#shareDraft(message);
      }
    } catch (error) {
      if (error instanceof RefusalError) {
        this.#refuse(error.refusal, message);
        return;
      }
      this.#deps.onError(error);
      this.#refuse(this.#deps.unwritable() ?? REFUSE.internal(), message);
    }
  }

  /** A person with all rights needs no check. */
  #refusalOf(message: ClientMessage): Refusal | null | Promise<Refusal | null> {
    const { gate } = this.#deps;
    if (gate.isUnlimited(this.#person)) return null;
    return this.#checking.run(() => gate.refusal(this.#person, message));
  }

  /** Opening, showing and closing take effect in the order of the requests. */
  async #inOrder(task: () => Promise<void>): Promise<void> {
    await this.#following.run(async () => {
      if (!this.#closed) await task();
    });
  }

  async #open(message: Open): Promise<void> {
    const { sessionId, after, limit, requestId } = message;
    if (!this.#subscriptions.has(sessionId) && this.#subscriptions.size >= FOLLOWED_SESSIONS_MAX) {
      this.#refuse(REFUSE.limitExceeded("sessions followed by one client", FOLLOWED_SESSIONS_MAX), message);
      return;
    }
    const start = await this.#whenReadable(() => this.#deps.sessions.open(sessionId, after, limit));
    if (this.#closed) return;
    const stored = start?.seq ?? 0;
    if (after !== undefined && after > stored) this.#deps.onShortLog(sessionId, after, stored);
    if (!start) {
      this.#refuse(REFUSE.sessionNotFound(), message);
      return;
    }
    this.#subscriptions.get(sessionId)?.[Symbol.dispose]();
    const subscription = this.#deps.feed.follow({
      sessionId,
      after: start.type === "session:resumed" ? (after ?? start.seq) : start.seq,
      ready: () => this.#writable && !this.#closed,
      isWatching: () => this.#showing?.has(sessionId) ?? true,
      send: (frame) => this.#sendFact(sessionId, frame),
      onGap: () => void this.#handle({ type: "session:open", sessionId, limit }).catch(this.#deps.onError),
      onRead: () => this.#releaseAnswers(),
    });
    this.#subscriptions.set(sessionId, subscription);
    this.#sendMessage(start, requestId);
    subscription.pump();
    const people = [...this.#deps.presence.of(sessionId)];
    if (people.length > 0) this.#sendMessage({ type: "session:presence", sessionId, people }, undefined);
  }

  /** A database that is away is awaited: an outage does not disconnect followers. */
  async #whenReadable<Found>(read: () => Promise<Found>): Promise<Found | null> {
    while (!this.#closed)
      try {
        return await read();
      } catch (error) {
        if (error instanceof RefusalError || this.#deps.unwritable() === null) throw error;
        await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
      }
    return null;
  }

  async #seen(message: Extract<ClientMessage, { type: "session:seen" }>): Promise<void> {
    const { sessionId, showing } = message;
    if (showing !== undefined) this.#showing ??= new Set();
    if (showing) this.#showing?.add(sessionId);
    else if (showing === false) this.#showing?.delete(sessionId);
    const { gate, presence, sessions } = this.#deps;
    if (showing) presence.show(sessionId, this, this.#person);
    else if (showing === false) presence.hide(this, sessionId);
    // Only a person who works there marks an unread session as read.
    const marks = await gate.mayIn(this.#person, "work", sessionId);
    this.#answer(message, await sessions.seen(message, this, marks));
  }

  #close(message: Extract<ClientMessage, { type: "session:close" }>): void {
    this.#unfollow(message.sessionId);
    if (message.requestId !== undefined) this.#sendMessage({ type: "ok" }, message.requestId);
  }

  /** One view of the changes for each session; opening it again chooses another scope. */
  async #openChanges(message: Extract<ClientMessage, { type: "changes:open" }>): Promise<void> {
    const { sessionId, scope, requestId } = message;
    const { changes, onError } = this.#deps;
    const view: ChangesView = { scope, watching: null, isReading: false, isStale: false };
    this.#changesViews.get(sessionId)?.watching?.[Symbol.dispose]();
    this.#changesViews.set(sessionId, view);
    const isShown = () => !this.#closed && this.#changesViews.get(sessionId) === view;
    const opened = await changes.open(
      sessionId,
      scope,
      () => void this.#refreshChanges(sessionId, view).catch(onError),
    );
    if (opened.kind === "refused") {
      if (isShown()) this.#changesViews.delete(sessionId);
      this.#refuse(opened.refusal, message);
      return;
    }
    view.watching = opened.watching;
    if (!isShown()) opened.watching[Symbol.dispose]();
    if (!this.#closed) this.#sendMessage(opened.state, requestId);
  }

  /** Sends the current changes. If something changes while they are read, they are read once more. */
  async #refreshChanges(sessionId: SessionId, view: ChangesView): Promise<void> {
    if (this.#changesViews.get(sessionId) !== view) return;
    view.isStale = true;
    if (view.isReading) return;
    view.isReading = true;
    try {
      while (view.isStale && !this.#closed && this.#changesViews.get(sessionId) === view) {
        view.isStale = false;
        const state = await this.#deps.changes.stateOf(sessionId, view.scope);
        if (this.#changesViews.get(sessionId) !== view) return;
        if (state.kind === "refused") this.#refuse(state.refusal, { sessionId });
        else this.#sendMessage(state.message, undefined);
      }
    } finally {
      view.isReading = false;
    }
  }

  #closeChanges({ sessionId, requestId }: Extract<ClientMessage, { type: "changes:close" }>): void {
    this.#changesViews.get(sessionId)?.watching?.[Symbol.dispose]();
    this.#changesViews.delete(sessionId);
    if (requestId !== undefined) this.#sendMessage({ type: "ok" }, requestId);
  }

  /** One reader for each terminal; attaching again replaces it. */
  async #followTerminal(
    message: Extract<ClientMessage, { type: "terminal:attach" | "terminal:detach" | "terminal:ack" }>,
  ): Promise<void> {
    const { terminalId, requestId } = message;
    if (message.type === "terminal:ack") {
      this.#terminals.get(terminalId)?.reader?.acknowledged(message.offset);
      if (requestId !== undefined) this.#sendMessage({ type: "ok" }, requestId);
      return;
    }
    const isOneMore = message.type === "terminal:attach" && !this.#terminals.has(terminalId);
    if (isOneMore && this.#terminals.size >= ATTACHED_TERMINALS_MAX)
      throw new RefusalError(REFUSE.limitExceeded("terminals shown by one client", ATTACHED_TERMINALS_MAX));
    this.#terminals.get(terminalId)?.reader?.[Symbol.dispose]();
    this.#terminals.delete(terminalId);
    if (message.type === "terminal:detach") {
      if (requestId !== undefined) this.#sendMessage({ type: "ok" }, requestId);
      return;
    }
    const shown: { reader: AttachedTerminal | null } = { reader: null };
    this.#terminals.set(terminalId, shown);
    const isShown = () => !this.#closed && this.#terminals.get(terminalId) === shown;
    try {
      const { attached, reader } = await this.#deps.terminals.attach(message, this, {
        message: (sent) => {
          if (isShown()) this.#sendMessage(sent, undefined);
        },
        bytes: (frame) => {
          if (isShown()) this.#send(frame);
        },
      });
      shown.reader = reader;
      if (isShown()) this.#sendMessage(attached, requestId);
      else reader[Symbol.dispose]();
    } catch (error) {
      if (isShown()) this.#terminals.delete(terminalId);
      throw error;
    }
  }

  #unfollow(sessionId: SessionId): void {
    this.#subscriptions.get(sessionId)?.[Symbol.dispose]();
    this.#subscriptions.delete(sessionId);
  }

  #ownPart(answer: Answer): Answer | Promise<Answer> {
    return this.#deps.gate.isUnlimited(this.#person) ? answer : partOf(this.#deps.gate, this.#person, answer);
  }

  #answer(message: ClientMessage, answer: Answer): void {
    const { requestId } = message;
    if (answer.kind === "refused") {
      this.#refuse(answer.refusal, message);
      return;
    }
    if (requestId === undefined) return;
    switch (answer.kind) {
      case "ok":
        this.#sendMessage(answer.seq === undefined ? { type: "ok" } : { type: "ok", seq: answer.seq }, requestId);
        return;
      case "fact":
        this.#answerWithFact(answer.fact, requestId);
        return;
      case "message":
        if (answer.published && !this.#passed.has(answer.message)) this.#awaitedMessages.set(answer.message, requestId);
        else this.#sendMessage(answer.message, requestId);
        return;
      case "config": {
        const { sessionId, seq, config } = answer;
        this.#answerInPlace(
          sessionId,
          seq,
          JSON.stringify({ type: "session:config", sessionId, seq, config, requestId }),
        );
        return;
      }
      case "started":
        this.#sendMessage(answer.message, requestId);
        answer.failed.then((refusal) => refusal && this.#refuse(refusal, message)).catch(this.#deps.onError);
        return;
      case "repeated": {
        const sessionId = SessionId.safeParse(answer.message["sessionId"]).data;
        const seq = Seq.safeParse(answer.message["seq"]).data;
        const frame = JSON.stringify({ ...answer.message, requestId });
        if (sessionId === undefined || seq === undefined) this.#send(frame);
        else this.#answerInPlace(sessionId, seq, frame);
        return;
      }
      default:
        answer satisfies never;
    }
  }

  /** A follower gets the answer only after the facts up to it. */
  #answerInPlace(sessionId: SessionId, seq: number, frame: string): void {
    const subscription = this.#subscriptions.get(sessionId);
    subscription?.pump();
    if (!subscription || subscription.cursor >= seq) this.#send(frame);
    else this.#heldAnswers.push({ sessionId, seq, frame });
  }

  /** Sends the draft to other windows on the session. */
  #shareDraft({ sessionId, content, attachments }: Extract<ClientMessage, { type: "session:draft" }>): void {
    const draft = { sessionId, content, ...(attachments && { attachments }) };
    this.#deps.feed.hub.notifyFollowers(sessionId, this, { type: "session:draft", ...draft });
  }

  /**
   * Followers get the fact at its position in the log, others as a broadcast; the copy sent here carries the request
   * id.
   */
  #answerWithFact(fact: Extract<Answer, { kind: "fact" }>["fact"], requestId: string): void {
    const subscription = this.#subscriptions.get(fact.sessionId);
    const isSent = subscription ? subscription.cursor >= fact.seq : this.#passed.has(fact);
    if (!isSent && (subscription || GLOBAL_FACTS.has(fact.type)))
      this.#awaitedFacts.set(factKey(fact.sessionId, fact.seq), requestId);
    else this.#send(JSON.stringify({ ...fact, requestId }));
  }

  #onBroadcasts(batch: readonly Broadcast[]): void {
    const { gate, onError } = this.#deps;
    if (gate.isUnlimited(this.#person)) this.#pass(batch);
    else this.#hearing.run(async () => this.#pass(await this.#heard(batch))).catch(onError);
  }

  /** What this person may receive of a broadcast. */
  async #heard(batch: readonly Broadcast[]): Promise<readonly Broadcast[]> {
    const { gate } = this.#deps;
    const heard: Broadcast[] = [];
    for (const broadcast of batch) {
      if (broadcast.kind === "aside") heard.push(broadcast);
      else if (broadcast.kind === "fact") {
        if (await gate.mayHear(this.#person, broadcast.fact)) heard.push(broadcast);
        else this.#passed.add(broadcast.fact);
      } else {
        const message = await gate.heard(this.#person, broadcast.message);
        const requestId = take(this.#awaitedMessages, broadcast.message);
        this.#passed.add(broadcast.message);
        const json = message === broadcast.message ? broadcast.json : JSON.stringify(message);
        if (message) heard.push({ kind: "message", message, json: withRequestId(json, requestId) });
        else if (requestId !== undefined) this.#sendMessage({ type: "ok" }, requestId);
      }
    }
    return heard;
  }

  #pass(batch: readonly Broadcast[]): void {
    for (const broadcast of batch) {
      if (broadcast.kind !== "aside")
        this.#passed.add(broadcast.kind === "message" ? broadcast.message : broadcast.fact);
      if (broadcast.kind === "message") {
        if (broadcast.message.type === "session:deleted") this.#unfollow(broadcast.message.sessionId);
        this.#send(withRequestId(broadcast.json, take(this.#awaitedMessages, broadcast.message)));
      } else if (broadcast.kind === "fact") {
        this.#onGlobalFact(broadcast.fact, broadcast.json);
      } else if (broadcast.from !== this && this.#subscriptions.has(broadcast.sessionId)) {
        this.#send(broadcast.json);
      }
    }
  }

  #onGlobalFact({ sessionId, seq }: Fact, json: string): void {
    const subscription = this.#subscriptions.get(sessionId);
    const key = factKey(sessionId, seq);
    // A follower got it from the log, unless it opened the session after its command: then the answer is still due.
    if (subscription && (subscription.cursor < seq || !this.#awaitedFacts.has(key))) return;
    this.#send(withRequestId(json, take(this.#awaitedFacts, key)));
  }

  #sendFact(sessionId: SessionId, frame: Frame): void {
    const requestId = this.#awaitedFacts.size > 0 ? take(this.#awaitedFacts, factKey(sessionId, frame.seq)) : undefined;
    this.#send(withRequestId(frame.json, requestId));
  }

  #refuse(refusal: Refusal, about: { requestId?: string | undefined; sessionId?: unknown; cliType?: unknown }): void {
    const { requestId, sessionId, cliType } = about;
    this.#send(
      JSON.stringify({
        type: "error",
        ...refusal,
        ...(requestId !== undefined && { requestId }),
        ...(typeof sessionId === "string" && { sessionId }),
        ...(typeof cliType === "string" && { cliType }),
      }),
    );
  }

  #sendMessage(message: PlainServerMessage, requestId: string | undefined): void {
    this.#send(withRequestId(JSON.stringify(message), requestId));
  }

  #send(frame: string | Uint8Array<ArrayBuffer>): void {
    if (!this.#closed && !this.#sink.send(frame)) this.#writable = false;
  }
}

/** For commands: who acts, and what they may look at. */
export function actorOf(gate: Gate, id: PersonId): Actor {
  return { person: gate.named(id), within: gate.within(id) };
}

/** What a person with limited rights gets of an answer. */
export async function partOf(gate: Gate, id: PersonId, answer: Answer): Promise<Answer> {
  if (answer.kind === "repeated" && !(await gate.maySee(id, answer.message)))
    return { kind: "refused", refusal: REFUSE.sessionNotFound() };
  if (answer.kind !== "message") return answer;
  const message = await gate.part(id, answer.message);
  if (message === answer.message) return answer;
  return message ? { ...answer, message, published: false } : { kind: "ok" };
}

function factKey(sessionId: SessionId, seq: number): string {
  return `${seq}#${sessionId}`;
}

function take<Key>(awaited: Map<Key, string>, key: Key): string | undefined {
  const requestId = awaited.get(key);
  awaited.delete(key);
  return requestId;
}

/** Every message is a JSON object, so one more field fits before its closing brace. */
function withRequestId(json: string, requestId: string | undefined): string {
  return requestId === undefined ? json : `${json.slice(0, -1)},"requestId":${JSON.stringify(requestId)}}`;
}
