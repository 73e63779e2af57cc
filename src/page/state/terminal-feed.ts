import type { ServerMessage } from "../../protocol/server-messages.ts";

/** More than any login says before its view is there. */
const KEPT_CHUNKS_MAX = 10_000;

interface TerminalListener {
  output(data: string): void;
  exited(exitCode: number | null): void;
}

type Said = { readonly data: string } | { readonly exitCode: number | null };

interface OpenTerminal {
  readonly kept: Said[];
  listener: TerminalListener | null;
}

/** What the terminals of this page say, kept until someone shows it: the program runs before its view is fetched. */
export class TerminalFeed {
  readonly #terminals = new Map<string, OpenTerminal>();

  /** Only who asked for a terminal hears that it was opened; the output of others passes by. */
  hear(message: ServerMessage): void {
    switch (message.type) {
      case "terminal:opened":
        this.#terminals.set(message.terminalId, { kept: [], listener: null });
        return;
      case "terminal:output":
        this.#say(message.terminalId, { data: message.data });
        return;
      case "terminal:exited":
        this.#say(message.terminalId, { exitCode: message.exitCode });
        return;
      default:
        return;
    }
  }

  /** Hands over what was said so far, then everything as it comes; what it returns ends that and forgets the terminal. */
  listen(terminalId: string, listener: TerminalListener): () => void {
    const terminal = this.#terminals.get(terminalId);
    if (terminal !== undefined) {
      terminal.listener = listener;
      for (const said of terminal.kept.splice(0)) tell(listener, said);
    }
    return () => this.#terminals.delete(terminalId);
  }

  #say(terminalId: string, said: Said): void {
    const terminal = this.#terminals.get(terminalId);
    if (terminal === undefined) return;
    if (terminal.listener !== null) tell(terminal.listener, said);
    else if (terminal.kept.length < KEPT_CHUNKS_MAX || "exitCode" in said) terminal.kept.push(said);
  }
}

function tell(listener: TerminalListener, said: Said): void {
  if ("data" in said) listener.output(said.data);
  else listener.exited(said.exitCode);
}
