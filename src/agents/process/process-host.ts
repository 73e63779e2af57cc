/** How a process ended, with the end of its stderr. */
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
  /** `offset` counts what went through the process's pipes; the same line has the same one under every server. */
  readonly onLine: (line: string, offset: number) => void;
  readonly onStderr: (text: string) => void;
  readonly onTooLong: (bytes: number) => void;
  /** Asked after each piece of output: a promise holds the process up until it is kept. */
  readonly room?: () => Promise<void> | null;
  /** Its name among processes that may outlive the server, and what the next server must know to go on with it. */
  readonly held?: { readonly id: string; readonly label: string };
}

/** A line that went through the pipes of a process before this server started. */
export interface PastLine {
  /** `note` is what an earlier server left for us, in place of everything up to `offset` that it had dealt with. */
  readonly direction: "in" | "out" | "note";
  readonly offset: number;
  readonly text: string;
}

/** `gentle` leaves an agent seconds to end by itself; `now` is for one that must not act any more. */
export type StopUrgency = "gentle" | "now";

export interface HostedProcess {
  readonly pid: number;
  /** Resolves when it runs; rejects with NotStartableError. */
  readonly started: Promise<void>;
  /** Settles when the process is gone and everything it wrote has been handed over; never rejects. */
  readonly exited: Promise<ExitReport>;
  /** How much may go through its pipes before it wants a checkpoint. */
  readonly checkpointBytes: number;
  /** A line for the agent; to a process that is gone it goes nowhere, and `exited` tells. */
  write(line: string): void;
  /** The process and everything it started are gone when this returns. A second call may be more urgent than the first. */
  stop(urgency?: StopUrgency): Promise<ExitReport>;
  /** What an earlier server and the process said to each other; from this call on, new lines are handed over. */
  takePast(): readonly PastLine[];
  /**
   * Everything up to that line is stored, and the note has the rest of the state: the lines themselves may be dropped.
   * `sentSince`: how many of the last lines for the agent were written after the note was taken.
   */
  checkpoint(offset: number, note: string, sentSince: number): void;
  /** It has ended, and everything it said is stored; resolves when nothing of it is left. */
  release(): Promise<void>;
}

/** Where agent processes live: as children of the server, or held apart from it. */
export interface ProcessHost {
  /** Throws NotStartableError when that is known at once that there is nothing to start. */
  start(spec: ProcessSpec): HostedProcess;
}

/** A process that outlived an earlier server. Its `start` resumes it. */
export interface SurvivingProcess extends ProcessHost {
  readonly id: string;
  readonly label: string;
  /** False when only its last output is left. */
  readonly isAlive: boolean;
  /** Ends it: no session resumes it. */
  abandon(): Promise<void>;
}
