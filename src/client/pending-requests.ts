import type { ClientMessage } from "../protocol/client-messages.ts";
import { type Refusal, RefusalError } from "../protocol/errors.ts";
import { CommandId } from "../protocol/ids.ts";
import type { PlainServerMessage, ServerMessage } from "../protocol/server-messages.ts";

type WithoutRequestId<Message> = Message extends unknown ? Omit<Message, "requestId"> : never;
/** A caller's request; the connection adds the correlation ids. */
export type ClientRequest = WithoutRequestId<ClientMessage>;

/** Queries, and states that replace each other: repeating one is harmless, so it needs no command id. */
const REPEATABLE: ReadonlySet<ClientMessage["type"]> = new Set<ClientMessage["type"]>([
  "project:list",
  "directories:list",
  "session:list",
  "session:children",
  "session:open",
  "session:page",
  "session:output",
  "session:close",
  "session:draft",
  "session:seen",
  "session:mark",
  "search",
  "agent:list",
  "files:search",
  "changes:open",
  "changes:close",
  "changes:patch",
  "changes:viewed",
  "files:list",
  "files:read",
  "terminal:list",
  "terminal:attach",
  "terminal:detach",
  "terminal:ack",
  "service:list",
  "service:consents",
  "inbox:list",
  "session:results",
  "usage:get",
  "ping",
]);

interface Pending {
  readonly message: ClientMessage;
  readonly resolve: (answer: ServerMessage) => void;
  readonly reject: (error: Error) => void;
}

/** The client was closed before the server answered; whether the command ran is unknown. */
export class ConnectionClosedError extends Error {
  override readonly name = "ConnectionClosedError";
}

/** Unanswered requests. After a dropped socket they are sent again with the same ids. */
export class PendingRequests {
  readonly #newId: () => string;
  readonly #pending = new Map<string, Pending>();
  #count = 0;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  newRequestId(): string {
    this.#count += 1;
    return `r${this.#count}`;
  }

  /** Registers a request under a new id; the returned promise settles with its answer. */
  add(request: ClientRequest): { message: ClientMessage; answer: Promise<ServerMessage> } {
    const requestId = this.newRequestId();
    const message: ClientMessage = { ...request, requestId };
    if (!REPEATABLE.has(message.type)) message.commandId ??= CommandId.parse(this.#newId());
    const answer = new Promise<ServerMessage>((resolve, reject) => {
      this.#pending.set(requestId, { message, resolve, reject });
    });
    return { message, answer };
  }

  /** Settles the request that this message answers, if any. */
  settle(message: ServerMessage): void {
    if (message.requestId === undefined) return;
    const pending = this.#pending.get(message.requestId);
    if (pending === undefined) return;
    this.#pending.delete(message.requestId);
    if (message.type === "error") pending.reject(new RefusalError(refusalOf(message)));
    else pending.resolve(message);
  }

  /** In order of the requests. */
  unanswered(): readonly ClientMessage[] {
    return [...this.#pending.values()].map(({ message }) => message);
  }

  rejectAll(): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new ConnectionClosedError("The connection was closed."));
  }
}

export type ErrorMessage = Extract<PlainServerMessage, { type: "error" }>;

/** The refusal in a server's `error`, without its ids. */
export function refusalOf({ code, message, details, fields }: ErrorMessage): Refusal {
  return { code, message, ...(details !== undefined && { details }), ...(fields !== undefined && { fields }) };
}
