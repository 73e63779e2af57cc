import type { ServerMessage } from "../../protocol/server-messages.ts";

/** More than any login prints before its view is ready. */
const KEPT_CHUNKS_MAX = 10_000;

interface TerminalListener {
  output(data: string): void;
  exited(exitCode: number | null): void;
}

type TerminalEvent = { readonly data: string } | { readonly exitCode: number | null };

interface OpenTerminal {
  readonly kept: TerminalEvent[];
  listener: TerminalListener | null;
}

/** Output of the terminals of this page, kept until a view shows it: the program starts before its view is loaded. */
export class TerminalFeed {
  readonly #terminals = new Map<string, OpenTerminal>();

  /** Ignores output of terminals that this page did not open. */
  receive(message: ServerMessage): void {
    switch (message.type) {
      case "terminal:opened":
        this.#terminals.set(message.terminalId, { kept: [], listener: null });
        return;
      case "terminal:output":
        if (message.offset !== undefined) return; // of a project's terminal: the dock shows it
        this.#emit(message.terminalId, { data: message.data });
        return;
      case "terminal:exited":
        this.#emit(message.terminalId, { exitCode: message.exitCode });
        return;
      default:
        return;
    }
  }

  /** Delivers the kept output, then new output as it arrives. The returned function stops that and removes the terminal. */
  listen(terminalId: string, listener: TerminalListener): () => void {
    const terminal = this.#terminals.get(terminalId);
    if (terminal !== undefined) {
      terminal.listener = listener;
      for (const event of terminal.kept.splice(0)) deliver(listener, event);
    }
    return () => this.#terminals.delete(terminalId);
  }

  #emit(terminalId: string, event: TerminalEvent): void {
    const terminal = this.#terminals.get(terminalId);
    if (terminal === undefined) return;
    if (terminal.listener !== null) deliver(terminal.listener, event);
    else if (terminal.kept.length < KEPT_CHUNKS_MAX || "exitCode" in event) terminal.kept.push(event);
  }
}

function deliver(listener: TerminalListener, event: TerminalEvent): void {
  if ("data" in event) listener.output(event.data);
  else listener.exited(event.exitCode);
}
