import { type ReadonlySignal, signal } from "@preact/signals";
import type { PlainServerMessage, ServerMessage } from "../../protocol/server-messages.ts";

export type ImportMessage = Extract<PlainServerMessage, { type: "import:progress" | "import:done" }>;

/** The state of imports by their last message, whoever started them: closing the dialog stops none. */
export class SessionImports {
  readonly #standing = signal<ReadonlyMap<string, ImportMessage>>(new Map());

  get all(): ReadonlySignal<ReadonlyMap<string, ImportMessage>> {
    return this.#standing;
  }

  receive(message: ServerMessage): void {
    if (message.type === "hello")
      this.#standing.value = new Map(); // a restarted server has none running
    else if (message.type === "import:progress" || message.type === "import:done")
      this.#standing.value = new Map(this.#standing.peek()).set(message.importId, message);
  }
}
