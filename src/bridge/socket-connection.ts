import type { Feed, Frame } from "../fanout/feed.ts";
import type { Broadcast } from "../fanout/hub.ts";
import type { Subscription } from "../fanout/subscription.ts";
import { TaskQueue } from "../lib/task-queue.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE, type Refusal } from "../protocol/errors.ts";
import { type Fact, GLOBAL_FACTS } from "../protocol/facts.ts";
import { Seq, SessionId } from "../protocol/ids.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import type { Answer } from "../sessions/answer.ts";
import { answerMessage, type MessageDeps } from "./answer-message.ts";
import { readClientFrame } from "./read-client-frame.ts";

const FOLLOWED_SESSIONS_MAX = 500;

export interface ConnectionDeps extends MessageDeps {
  readonly feed: Feed;
  readonly hello: () => PlainServerMessage;
  /** What is said when nothing can be stored; null when that is not the trouble. */
  readonly unwritable: () => Refusal | null;
  /** A client knows more of a session than is stored. */
  readonly onShortLog: (sessionId: SessionId, known: number, stored: number) => void;
  readonly onError: (error: unknown) => void;
}

/** The raw socket, as far as a connection needs it: false means "later, I am full". */
export interface FrameSink {
  send(frame: string): boolean;
}

type Open = Extract<ClientMessage, { type: "session:open" }>;

/** One client: validates what it sends, follows what it opened, and repeats its request ids on what answers them. */
export class SocketConnection implements Disposable {
  readonly #deps: ConnectionDeps;
  readonly #sink: FrameSink;
  readonly #subscriptions = new Map<SessionId, Subscription>();
  readonly #listening: Disposable;
  /** Requests that a published message or a fact on its way will answer. */
  readonly #awaitedMessages = new Map<PlainServerMessage, string>();
  readonly #awaitedFacts = new Map<string, string>();
  /** Answers that speak of facts this client has not got yet; ahead of them they would make it skip those. */
  #heldAnswers: { readonly sessionId: SessionId; readonly seq: number; readonly frame: string }[] = [];
  /** What this client says it shows; null until it says anything, and then all it follows counts as shown. */
  #showing: Set<SessionId> | null = null;
  readonly #following = new TaskQueue();
  #writable = true;
  #closed = false;

  constructor(deps: ConnectionDeps, sink: FrameSink) {
    this.#deps = deps;
    this.#sink = sink;
    this.#send(JSON.stringify(deps.hello()));
    this.#listening = deps.feed.hub.listen((batch) => this.#onBroadcasts(batch));
  }

  receive(data: string | Uint8Array): void {
    const read = readClientFrame(data);
    if (read.ok) this.#handle(read.message).catch(this.#deps.onError);
    else this.#refuse(read.refusal, read.about);
  }

  /** The socket took what was waiting: readers go on from their cursors. */
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
    this.#listening[Symbol.dispose]();
    for (const subscription of this.#subscriptions.values()) subscription[Symbol.dispose]();
    this.#subscriptions.clear();
  }

  async #handle(message: ClientMessage): Promise<void> {
    try {
      if (message.type === "session:open") await this.#inOrder(() => this.#open(message));
      else if (message.type === "session:close") await this.#inOrder(async () => this.#close(message));
      else if (message.type === "session:seen") await this.#inOrder(() => this.#seen(message));
      else {
        const answer = await answerMessage(this.#deps, message);
        this.#answer(message, answer);
        if (message.type === "session:draft" && answer.kind === "ok") this.#shareDraft(message);
      }
    } catch (error) {
      this.#deps.onError(error);
      this.#refuse(this.#deps.unwritable() ?? REFUSE.internal(), message);
    }
  }

  /** Opening, showing and closing take effect in the order they were asked for. */
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
    const start = await this.#deps.sessions.open(sessionId, after, limit);
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
  }

  async #seen(message: Extract<ClientMessage, { type: "session:seen" }>): Promise<void> {
    const { sessionId, showing } = message;
    if (showing !== undefined) this.#showing ??= new Set();
    if (showing) this.#showing?.add(sessionId);
    else if (showing === false) this.#showing?.delete(sessionId);
    this.#answer(message, await this.#deps.sessions.seen(message, this));
  }

  #close(message: Extract<ClientMessage, { type: "session:close" }>): void {
    this.#unfollow(message.sessionId);
    if (message.requestId !== undefined) this.#sendMessage({ type: "ok" }, message.requestId);
  }

  #unfollow(sessionId: SessionId): void {
    this.#subscriptions.get(sessionId)?.[Symbol.dispose]();
    this.#subscriptions.delete(sessionId);
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
        if (answer.published) this.#awaitedMessages.set(answer.message, requestId);
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

  /** Other windows on the session show what is being typed here; the one who types has it. */
  #shareDraft({ sessionId, content, attachments }: Extract<ClientMessage, { type: "session:draft" }>): void {
    const draft = { sessionId, content, ...(attachments && { attachments }) };
    this.#deps.feed.hub.tellFollowers(sessionId, this, { type: "session:draft", ...draft });
  }

  /** Followers get the fact in its place in the log, everyone else as a broadcast; the copy sent here carries the id. */
  #answerWithFact(fact: Extract<Answer, { kind: "fact" }>["fact"], requestId: string): void {
    if (this.#subscriptions.has(fact.sessionId) || GLOBAL_FACTS.has(fact.type))
      this.#awaitedFacts.set(factKey(fact.sessionId, fact.seq), requestId);
    else this.#send(JSON.stringify({ ...fact, requestId }));
  }

  #onBroadcasts(batch: readonly Broadcast[]): void {
    for (const broadcast of batch) {
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

  #send(frame: string): void {
    if (!this.#closed && !this.#sink.send(frame)) this.#writable = false;
  }
}

function factKey(sessionId: SessionId, seq: number): string {
  return `${seq}#${sessionId}`;
}

function take<Key>(awaited: Map<Key, string>, key: Key): string | undefined {
  const requestId = awaited.get(key);
  awaited.delete(key);
  return requestId;
}

/** Every message is a JSON object, so its closing brace is where one more field goes. */
function withRequestId(json: string, requestId: string | undefined): string {
  return requestId === undefined ? json : `${json.slice(0, -1)},"requestId":${JSON.stringify(requestId)}}`;
}
