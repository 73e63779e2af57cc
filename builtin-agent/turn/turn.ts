import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import type { Session } from "../sessions/session.ts";
import type { RequestId } from "../wire/connection.ts";
import type { World } from "../world.ts";
import { describeAttachments } from "./attachments.ts";
import type { Client } from "./client.ts";
import type { RunningCommands } from "./running-commands.ts";

/** Thrown inside a skill by anything it awaits or sends once its turn is cancelled. */
export class TurnCancelled extends Error {
  override readonly name = "TurnCancelled";
}

/** What a turn needs from outside. */
type TurnContext = {
  readonly world: World;
  readonly client: Client;
  readonly session: Session;
  readonly commands: RunningCommands;
  readonly requestId: RequestId;
  readonly prompt: readonly ContentBlock[];
};

/** A tool call that must not stay open when its turn ends. */
type OpenTool = { cancel(): void; fail(reason: string): void };

type OpenMessage = { readonly kind: "agent_message_chunk" | "agent_thought_chunk"; readonly id: string };

/** One prompt being answered: all output of a skill goes through here, to the wire and into the session's file. */
export class Turn {
  readonly context: TurnContext;
  readonly openTools = new Set<OpenTool>();
  readonly #abort = new AbortController();
  readonly #cancelled = Promise.withResolvers<"cancelled">();
  #ended = false;
  #message: OpenMessage | undefined;
  #listener: ((prompt: readonly ContentBlock[]) => void) | undefined;
  /** Set by a scenario: `session/cancel` is then ignored until the turn is released. */
  deaf = false;

  constructor(context: TurnContext) {
    this.context = context;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Resolves at a cancel, so that the prompt is answered at once, whatever the skill is doing. */
  get cancelled(): Promise<"cancelled"> {
    return this.#cancelled.promise;
  }

  get requestId(): RequestId {
    return this.context.requestId;
  }

  get cwd(): string {
    return this.context.session.cwd;
  }

  get isDetailed(): boolean {
    return this.context.session.config.voice === "detailed";
  }

  /** One chunk of the answer; consecutive chunks belong to one message. */
  say(text: string): void {
    this.sayAll([text]);
  }

  /** Many chunks in one write, and one line in the file. */
  sayAll(texts: readonly string[]): void {
    this.#assertOpen();
    const { client, session } = this.context;
    const messageId = this.#messageId("agent_message_chunk");
    client.messageChunks(session.id, messageId, texts);
    const content = { type: "text", text: texts.join("") };
    session.record({ type: "update", update: { sessionUpdate: "agent_message_chunk", messageId, content } });
  }

  sayBlock(content: ContentBlock): void {
    this.update({ sessionUpdate: "agent_message_chunk", messageId: this.#messageId("agent_message_chunk"), content });
  }

  think(text: string): void {
    const messageId = this.#messageId("agent_thought_chunk");
    this.update({ sessionUpdate: "agent_thought_chunk", messageId, content: { type: "text", text } });
  }

  /** Sent and recorded. Anything but a chunk ends the message before it. */
  update(update: SessionUpdate): void {
    this.transient(update);
    this.context.session.record({ type: "update", update: { ...update } });
  }

  /** Sent, but not part of the history that `session/load` replays. */
  transient(update: SessionUpdate): void {
    this.#assertOpen();
    if (!update.sessionUpdate.endsWith("_chunk")) this.#message = undefined;
    this.context.client.update(this.context.session.id, update);
  }

  /** Resolves once the client has read the output, so that a fast skill cannot fill the memory. */
  async settled(): Promise<void> {
    await this.context.client.connection.writer.drained();
    this.#assertOpen();
  }

  /** A pause that a cancel ends at once; without a length it lasts until then. */
  pause(ms?: number): Promise<void> {
    this.#assertOpen();
    return new Promise((resolve, reject) => {
      const timer = ms === undefined ? undefined : setTimeout(done, ms);
      const stop = () => {
        clearTimeout(timer);
        reject(this.signal.reason);
      };
      this.signal.addEventListener("abort", stop, { once: true });
      const { signal } = this;
      function done() {
        signal.removeEventListener("abort", stop);
        resolve();
      }
    });
  }

  /** The listener handles messages that arrive during this turn itself. */
  listen(listener: (prompt: readonly ContentBlock[]) => void): void {
    this.#listener = listener;
  }

  /** A message to the guide during a turn: it is confirmed at once, and the turn continues. */
  steer(prompt: readonly ContentBlock[]): void {
    const { session, world } = this.context;
    session.record({ type: "user", messageId: world.newId("msg"), content: prompt });
    this.#message = undefined;
    if (this.#listener) {
      this.#listener(prompt);
      return;
    }
    const words = prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
    const more = describeAttachments(prompt);
    this.say(`Received while working: ${[words, ...more].join(", with ")}\n\n`);
    this.#message = undefined;
  }

  /** Ends the turn: marks running tools as failed, then aborts everything the skill waits for. */
  cancel(): void {
    if (this.#ended) return;
    try {
      for (const tool of this.openTools) tool.cancel();
    } finally {
      this.end();
      this.#abort.abort(new TurnCancelled("The turn was cancelled."));
      this.#cancelled.resolve("cancelled");
    }
  }

  /** After this the turn sends nothing more. */
  end(): void {
    this.#ended = true;
  }

  #messageId(kind: OpenMessage["kind"]): string {
    if (this.#message?.kind !== kind) this.#message = { kind, id: this.context.world.newId("msg") };
    return this.#message.id;
  }

  #assertOpen(): void {
    if (this.#ended) throw new TurnCancelled("The turn is over.");
  }
}
