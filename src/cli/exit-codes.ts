/** Exit codes for scripts; docs/cli.md has the same table. */
export const EXIT = {
  done: 0,
  /** Refused or not found, or a check found a problem: the message says what to do. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** No server runs, and none could be started. */
  noServer: 3,
  /** The turn waits for a permission or an answer. */
  blocked: 4,
  cancelled: 5,
  /** The turn ended with an error, was interrupted or refused, or hit a limit of the model. */
  turnFailed: 6,
  /** Ctrl-C while waiting: the session keeps running. */
  detached: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_WORDS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.done, "done"],
  [EXIT.failed, "refused, not found, or a problem found; the message explains how to fix it"],
  [EXIT.usage, "wrong command, option or argument"],
  [EXIT.noServer, "no server is running and none could be started"],
  [EXIT.blocked, "the turn is waiting for a permission or an answer"],
  [EXIT.cancelled, "the turn was cancelled"],
  [EXIT.turnFailed, "the turn failed, was interrupted or refused, or hit a model limit"],
  [EXIT.detached, "Ctrl-C while waiting; the session keeps running"],
];

/** Ends the command with a message for the user and a code for scripts. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  readonly code: string;

  constructor(exitCode: ExitCode, message: string, code = "CLI_ERROR", cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
    this.code = code;
  }
}
