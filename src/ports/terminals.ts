import type { ProjectId } from "../protocol/ids.ts";
import type { TerminalOutputFrame } from "../protocol/terminal-frames.ts";
import type { TerminalId, TerminalInfo } from "../protocol/terminals.ts";
import type { WorktreeId } from "../protocol/worktree-ref.ts";

export interface NewTerminal {
  readonly projectId: ProjectId;
  readonly worktreeId: WorktreeId | null;
  readonly kind: TerminalInfo["kind"];
  readonly title: string;
  readonly cwd: string;
  /** Null: the user's shell. */
  readonly command: readonly string[] | null;
  /** Besides the user's own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Whole characters. The bytes are valid during the call only. */
export type TerminalOutput = Omit<TerminalOutputFrame, "terminalId">;

/** Output of a terminal from an offset on. `acknowledged` gives the terminal credit to send more. */
export interface TerminalReader extends Disposable {
  acknowledged(offset: number): void;
}

/**
 * The terminals of projects and worktrees. Each is held by a process of its own, which outlives the server. Failures
 * throw a `RefusalError`.
 */
export interface ProjectTerminals {
  list(): readonly TerminalInfo[];
  open(terminal: NewTerminal): Promise<TerminalInfo>;
  /** False: there is no such terminal. */
  input(terminalId: TerminalId, data: string): boolean;
  resize(terminalId: TerminalId, columns: number, rows: number): boolean;
  /** Ends everything that runs in it. Resolves when that has ended; false when there is no such terminal. */
  close(terminalId: TerminalId): Promise<boolean>;
  attach(
    terminalId: TerminalId,
    after: number | null,
    listener: {
      readonly onOutput: (output: TerminalOutput) => void;
      /** After all output. */
      readonly onEnd: (exitCode: number | null) => void;
    },
  ): Promise<{
    readonly terminal: TerminalInfo;
    readonly offset: number;
    readonly skipped: number;
    readonly prelude: string;
    /** The size that the kept output begins with. */
    readonly columns: number;
    readonly rows: number;
    readonly reader: TerminalReader;
  }>;
  /** Called when a program has ended or a terminal was opened, closed or resized. */
  onChanged(listener: (terminal: TerminalInfo) => void): Disposable;
}
