import { ignore } from "../../lib/ignore.ts";
import { TERMINAL_CREDIT_BYTES } from "../../protocol/limits.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";
import type { TerminalOutputFrame } from "../../protocol/terminal-frames.ts";
import { TERMINAL_INPUT_CHARS_MAX, type TerminalId } from "../../protocol/terminals.ts";
import type { Attempt, Notify } from "../state/trouble.ts";

/** Acknowledged when this much has been shown since the last time: often enough that the server never waits for it. */
const ACK_EVERY_BYTES = TERMINAL_CREDIT_BYTES / 8;
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What shows the output. Writing and resizing take effect in the order of the calls. */
export interface TerminalScreen {
  write(data: string | Uint8Array, onShown?: () => void): void;
  resize(size: TerminalSize): void;
  /** The size that fills its place; null while it has none. */
  readonly fittingSize: TerminalSize | null;
  readonly hasFocus: boolean;
}

interface TerminalLinkOptions {
  readonly terminalId: TerminalId;
  readonly screen: TerminalScreen;
  readonly attempt: Attempt;
  /** Output came faster than it could be shown, and some was left out. */
  readonly onSkipped: () => void;
  readonly onTrouble: Notify;
}

/**
 * Connects a screen to a terminal on the server, across lost connections: it attaches from the offset that the screen has.
 * The size of a terminal is that of the client that was used last; all others show it in that size.
 */
export class TerminalLink {
  readonly #options: TerminalLinkOptions;
  /** Null until the first output can come. */
  #offset: number | null = null;
  #acknowledged = 0;
  #isAttaching = false;
  /** Of the screen. */
  #size: TerminalSize | null = null;
  /** The last state of the terminal sent by the server. */
  #told: TerminalSize | null = null;
  /** The last request of this client. While another client types, the server only stores it. */
  #asked: TerminalSize | null = null;
  #isResizing = false;
  /** The server has the size of this client, and no other client has changed it since. */
  #isOurs = false;

  constructor(options: TerminalLinkOptions) {
    this.#options = options;
  }

  /**
   * For every new connection. A request that was unanswered when a connection was lost is repeated by the client
   * itself.
   */
  async attach(): Promise<void> {
    if (this.#isAttaching) return;
    this.#isAttaching = true;
    const { attempt, terminalId, onTrouble } = this.#options;
    const after = this.#offset === null ? {} : { after: this.#offset };
    await attempt({ type: "terminal:attach", terminalId, ...after, output: "binary" }, onTrouble);
    this.#isAttaching = false;
  }

  detach(): void {
    const { attempt, terminalId } = this.#options;
    void attempt({ type: "terminal:detach", terminalId }, ignore("a terminal that is gone sends nothing more"));
  }

  receive(message: ServerMessage): void {
    const { terminalId } = this.#options;
    if (message.type === "terminal:attached" && message.terminal.terminalId === terminalId) this.#attached(message);
    // A server that is older than binary frames sends text.
    else if (message.type === "terminal:output" && message.offset !== undefined) {
      const { offset, skipped = 0, columns, rows } = message;
      const size = columns === undefined || rows === undefined ? null : { columns, rows };
      const bytes = new TextEncoder().encode(message.data);
      this.receiveOutput({ terminalId: message.terminalId, offset, skipped, size, bytes });
    }
  }

  receiveOutput({ terminalId, bytes, offset, skipped, size }: TerminalOutputFrame): void {
    if (terminalId !== this.#options.terminalId || this.#offset === null || offset < this.#offset) return;
    if (offset === this.#offset && bytes.byteLength > 0) return;
    if (skipped > 0) this.#options.onSkipped();
    if (size) this.#show(size);
    this.#offset = offset;
    this.#options.screen.write(bytes, () => this.#shown(offset));
  }

  /** The size that the server reports of the terminal. */
  sizeTold(size: TerminalSize): void {
    this.#told = size;
    // A size that was sent before our own change arrived is outdated.
    if (this.#offset !== null && (!this.#isResizing || isSame(size, this.#asked))) this.#show(size);
  }

  /** The user works here: the terminal gets the size of this client. */
  use(): void {
    if (!this.#isOurs) void this.#claim();
  }

  /** The screen's container has another size. */
  placeChanged(): void {
    if (this.#isOurs) void this.#claim();
  }

  input(data: string): void {
    this.use();
    const { attempt, terminalId, onTrouble } = this.#options;
    for (let from = 0; from < data.length; from += TERMINAL_INPUT_CHARS_MAX) {
      const piece = data.slice(from, from + TERMINAL_INPUT_CHARS_MAX);
      void attempt({ type: "terminal:input", terminalId, data: piece }, onTrouble);
    }
  }

  #attached(message: Extract<ServerMessage, { type: "terminal:attached" }>): void {
    const { screen, onSkipped } = this.#options;
    const isFirst = this.#offset === null;
    this.#offset = message.offset;
    this.#acknowledged = message.offset;
    this.#show(message);
    if (message.prelude !== "") screen.write(message.prelude);
    if (!isFirst && message.skipped > 0) onSkipped();
    if (screen.hasFocus) this.use();
  }

  #shown(offset: number): void {
    if (offset - this.#acknowledged < ACK_EVERY_BYTES) return;
    this.#acknowledged = offset;
    const { attempt, terminalId } = this.#options;
    void attempt({ type: "terminal:ack", terminalId, offset }, ignore("a terminal that is gone sends nothing more"));
  }

  /** One request at a time, until the server has the current size of this client. */
  async #claim(): Promise<void> {
    if (this.#isResizing) return;
    const { attempt, terminalId, screen } = this.#options;
    for (let size = screen.fittingSize; size !== null && this.#offset !== null; size = screen.fittingSize) {
      this.#isOurs = true;
      if (isSame(size, this.#asked) && isSame(size, this.#size)) return;
      this.#asked = size;
      this.#isResizing = true;
      const { columns, rows } = size;
      const answer = await attempt(
        { type: "terminal:resize", terminalId, columns, rows },
        ignore("a terminal that has ended keeps its size"),
      );
      this.#isResizing = false;
      if (this.#told !== null) this.#show(this.#told);
      if (answer === null || isSame(screen.fittingSize, size)) return;
    }
  }

  #show({ columns, rows }: TerminalSize): void {
    const size = { columns, rows };
    if (isSame(this.#size, size)) return;
    this.#size = size;
    this.#isOurs = this.#isResizing || isSame(size, this.#asked);
    this.#options.screen.resize(size);
  }
}

function isSame(a: TerminalSize | null, b: TerminalSize | null): boolean {
  return a !== null && b !== null && a.columns === b.columns && a.rows === b.rows;
}
