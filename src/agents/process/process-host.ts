/** How a process ended, with the last of what it complained about. */
export interface ExitReport {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
}

/** The command could not be started at all: not there, or not executable. */
export class NotStartableError extends Error {
  override readonly name = "NotStartableError";
}

export interface ProcessSpec {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
  readonly onStderr: (text: string) => void;
  readonly onTooLong: (bytes: number) => void;
}

export interface HostedProcess {
  readonly pid: number;
  /** Settles when the process is gone and everything it wrote has been handed over; never rejects. */
  readonly exited: Promise<ExitReport>;
  /** A line for the agent; to a process that is gone it goes nowhere, and `exited` tells. */
  write(line: string): void;
  /** Asks, then insists: the process and everything it started are gone when this returns. */
  stop(): Promise<ExitReport>;
}

/** Where agent processes live. One implementation starts them as children of the server. */
export interface ProcessHost {
  /** Throws NotStartableError when there is nothing to start. */
  start(spec: ProcessSpec): HostedProcess;
}
