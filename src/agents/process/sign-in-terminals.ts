import { killGroup } from "./agent-process.ts";

export const TERMINALS_MAX = 8;
const COLUMNS = 80;
const ROWS = 24;

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
  readonly ended: Promise<void>;
}

/** Terminals in which an agent's own login runs: we display it and forward keys, and never handle a password as such. */
export class Terminals {
  readonly #newId: () => string;
  readonly #events: TerminalEvents;
  readonly #open = new Map<string, OpenTerminal>();

  constructor(newId: () => string, events: TerminalEvents) {
    this.#newId = newId;
    this.#events = events;
  }

  /** Null if too many are open. Throws if the command cannot be run. */
  open(spec: TerminalSpec, onExit: (exitCode: number | null) => void): string | null {
    if (this.#open.size >= TERMINALS_MAX) return null;
    const terminalId = this.#newId();
    const decoder = new TextDecoder();
    const drained = Promise.withResolvers<void>();
    const child = Bun.spawn([...spec.command], {
      cwd: spec.cwd,
      env: { ...spec.env, TERM: "xterm-256color" },
      // Created with the child, which controls it and leads its own group; its exit is detected.
      terminal: {
        cols: COLUMNS,
        rows: ROWS,
        data: (_, data) => this.#events.onOutput(terminalId, decoder.decode(data, { stream: true })),
        exit: () => drained.resolve(),
      },
    });
    const ended = Promise.all([child.exited, drained.promise]).then(
      ([code]) => this.#end(terminalId, code, onExit),
      () => this.#end(terminalId, null, onExit),
    );
    this.#open.set(terminalId, { child, ended });
    return terminalId;
  }

  write(terminalId: string, data: string): boolean {
    const open = this.#open.get(terminalId);
    open?.child.terminal?.write(data);
    return open !== undefined;
  }

  resize(terminalId: string, columns: number, rows: number): boolean {
    const open = this.#open.get(terminalId);
    open?.child.terminal?.resize(columns, rows);
    return open !== undefined;
  }

  close(terminalId: string): boolean {
    const open = this.#open.get(terminalId);
    if (open) killGroup(open.child.pid, "SIGKILL");
    return open !== undefined;
  }

  async stop(): Promise<void> {
    const ends = [...this.#open.values()].map(({ ended }) => ended);
    for (const terminalId of this.#open.keys()) this.close(terminalId);
    await Promise.all(ends);
  }

  #end(terminalId: string, exitCode: number | null, onExit: (exitCode: number | null) => void): void {
    this.#open.get(terminalId)?.child.terminal?.close();
    this.#open.delete(terminalId);
    this.#events.onExit(terminalId, exitCode);
    onExit(exitCode);
  }
}
