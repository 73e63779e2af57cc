import { SerializeAddon } from "@xterm/addon-serialize";
import { Terminal } from "@xterm/headless";
import type { TerminalOutputFrame } from "../../src/protocol/terminal-frames.ts";
import type { Message, SocketClient } from "../support/socket-client.ts";

/** A client's screen of one terminal: what it shows is what the server has sent, nothing else. */
export class Screen implements Disposable {
  readonly #terminal: Terminal;
  readonly #serialize = new SerializeAddon();
  #written: Promise<void> = Promise.resolve();
  offset = 0;
  skipped = 0;

  constructor(columns = 80, rows = 24) {
    this.#terminal = new Terminal({ cols: columns, rows, scrollback: 0, allowProposedApi: true });
    this.#terminal.loadAddon(this.#serialize);
  }

  write(data: string | Uint8Array): void {
    this.#written = new Promise((resolve) => this.#terminal.write(data, resolve));
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  attached({ offset, prelude, columns, rows }: Message<"terminal:attached">): void {
    if (prelude !== "") this.resize(columns, rows);
    this.offset = offset;
    this.write(prelude);
  }

  output({ bytes, offset, skipped, size }: TerminalOutputFrame): void {
    if (size) this.resize(size.columns, size.rows);
    this.skipped += skipped;
    this.offset = offset;
    this.write(bytes);
  }

  /** The lines it shows, and where the cursor is. */
  async text(): Promise<string> {
    await this.#written;
    const { active } = this.#terminal.buffer;
    const lines = Array.from({ length: this.#terminal.rows }, (_, row) =>
      (active.getLine(active.viewportY + row)?.translateToString(true) ?? "").trimEnd(),
    );
    return lines.join("\n").trimEnd();
  }

  /** What it shows: cells with their attributes, modes, cursor. Not what a full-screen program covers. */
  async state(): Promise<string> {
    await this.#written;
    const { active } = this.#terminal.buffer;
    return JSON.stringify({
      type: active.type,
      cursor: [active.cursorX, active.cursorY],
      modes: this.#terminal.modes,
      cells: this.#serialize.serialize({ scrollback: 0, excludeModes: true }).split("\x1b[?1049h").at(-1),
    });
  }

  [Symbol.dispose](): void {
    this.#terminal.dispose();
  }
}

/** A client that shows a terminal and acknowledges what it has shown. */
export class TerminalView {
  readonly screen: Screen;
  readonly #client: SocketClient;
  readonly terminalId: string;
  #looked: number;

  private constructor(client: SocketClient, terminalId: string, screen: Screen, mark: number) {
    this.#client = client;
    this.terminalId = terminalId;
    this.screen = screen;
    this.#looked = mark;
  }

  static async attach(
    client: SocketClient,
    terminalId: string,
    { screen = new Screen(), after }: { screen?: Screen; after?: number } = {},
  ): Promise<TerminalView> {
    const mark = client.outputs.length;
    const attached = await client.ask("terminal:attached", {
      type: "terminal:attach",
      terminalId,
      output: "binary",
      ...(after !== undefined && { after }),
    });
    screen.attached(attached);
    return new TerminalView(client, terminalId, screen, mark);
  }

  type(data: string): void {
    this.#client.post({ type: "terminal:input", terminalId: this.terminalId, data });
  }

  /** Takes what has arrived, and acknowledges it. */
  take(): void {
    for (; this.#looked < this.#client.outputs.length; this.#looked += 1) {
      const output = this.#client.outputs[this.#looked];
      if (output?.terminalId !== this.terminalId) continue;
      this.screen.output(output);
      this.#client.sendRaw(
        JSON.stringify({ type: "terminal:ack", terminalId: this.terminalId, offset: output.offset }),
      );
    }
  }

  /** Waits until the screen shows this. */
  async shows(text: string | RegExp): Promise<string> {
    for (;;) {
      this.take();
      const shown = await this.screen.text();
      if (typeof text === "string" ? shown.includes(text) : text.test(shown)) return shown;
      const seen = this.#looked;
      await this.#client.until(`"${text}" on the screen:\n${shown}\n`, () => this.#client.outputs.length > seen);
    }
  }
}
