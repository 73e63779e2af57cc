import { killGroup } from "../process/agent-process.ts";

export const TERMINALS_MAX = 8;
const COLUMNS = 80;
const ROWS = 24;
/** What a program wrote last comes after the news of its end, and our side of a terminal never sees its end of input. */
const LAST_WORDS_MS = 50;

export interface TerminalSpec {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface TerminalEvents {
  onOutput(terminalId: string, data: string): void;
  onExit(terminalId: string, exitCode: number | null): void;
}

interface OpenTerminal {
  readonly child: Bun.Subprocess;
  readonly terminal: Bun.Terminal;
  readonly ended: Promise<void>;
}

/** Real terminals in which an agent's own login runs: we show it and type into it, and never see a password as such. */
export class Terminals {
  readonly #newId: () => string;
  readonly #events: TerminalEvents;
  readonly #open = new Map<string, OpenTerminal>();

  constructor(newId: () => string, events: TerminalEvents) {
    this.#newId = newId;
    this.#events = events;
  }

  /** Null when too many are open. Throws when the command cannot be run. */
  open(spec: TerminalSpec, onExit: (exitCode: number | null) => void): string | null {
    if (this.#open.size >= TERMINALS_MAX) return null;
    const terminalId = this.#newId();
    const decoder = new TextDecoder();
    const terminal = new Bun.Terminal({
      cols: COLUMNS,
      rows: ROWS,
      data: (_, data) => this.#events.onOutput(terminalId, decoder.decode(data, { stream: true })),
    });
    const child = Bun.spawn([...spec.command], {
      cwd: spec.cwd,
      env: { ...spec.env, TERM: "xterm-256color" },
      terminal,
    });
    const ended = child.exited.then(
      (code) => this.#end(terminalId, code, onExit),
      () => this.#end(terminalId, null, onExit),
    );
    this.#open.set(terminalId, { child, terminal, ended });
    return terminalId;
  }

  write(terminalId: string, data: string): boolean {
    const open = this.#open.get(terminalId);
    open?.terminal.write(data);
    return open !== undefined;
  }

  resize(terminalId: string, columns: number, rows: number): boolean {
    const open = this.#open.get(terminalId);
    open?.terminal.resize(columns, rows);
    return open !== undefined;
  }

  close(terminalId: string): boolean {
    const open = this.#open.get(terminalId);
    // The terminal made it the leader of a session, and so of a group, of its own.
    if (open) killGroup(open.child.pid, "SIGKILL");
    return open !== undefined;
  }

  async stop(): Promise<void> {
    const ends = [...this.#open.values()].map(({ ended }) => ended);
    for (const terminalId of this.#open.keys()) this.close(terminalId);
    await Promise.all(ends);
  }

  async #end(terminalId: string, exitCode: number | null, onExit: (exitCode: number | null) => void): Promise<void> {
    await Bun.sleep(LAST_WORDS_MS);
    this.#open.get(terminalId)?.terminal.close();
    this.#open.delete(terminalId);
    this.#events.onExit(terminalId, exitCode);
    onExit(exitCode);
  }
}
