/** How a process ended, with the end of its stderr. */
export interface ExitReport {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
}

/** The command could not be started at all: missing or not executable. */
export class NotStartableError extends Error {
  override readonly name = "NotStartableError";
}

export interface ProcessSpec {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** `offset` numbers the lines in the process's pipes; a line has the same number under every server. */
  readonly onLine: (line: string, offset: number) => void;
  readonly onStderr: (text: string) => void;
  readonly onTooLong: (bytes: number) => void;
  /** Called after each piece of output: a returned promise pauses the process until it resolves. */
  readonly room?: () => Promise<void> | null;
  /** Its id among processes that may outlive the server, and the data the next server needs to resume it. */
  readonly held?: { readonly id: string; readonly label: string };
}

/** A line that went through the pipes of a process before this server started. */
export interface PastLine {
  /** `note`: state that an earlier server left, replacing everything up to `offset`. */
  readonly direction: "in" | "out" | "note";
  readonly offset: number;
  readonly text: string;
}

/** `gentle` gives an agent seconds to end by itself; `now` is for one that must not do anything more. */
export type StopUrgency = "gentle" | "now";

export interface HostedProcess {
  readonly pid: number;
  /** Resolves when it runs; rejects with NotStartableError. */
  readonly started: Promise<void>;
  /** Settles when the process has ended and all of its output was passed on; never rejects. */
  readonly exited: Promise<ExitReport>;
  /** How many bytes may pass through its pipes before a checkpoint is due. */
  readonly checkpointBytes: number;
  /** Sends a line to the agent; ignored if the process has ended, which `exited` reports. */
  write(line: string): void;
  /**
   * When this returns, the process and everything it started have ended. A second call may be more urgent than the
   * first.
   */
  stop(urgency?: StopUrgency): Promise<ExitReport>;
  /** The earlier lines in both directions; from this call on, new lines are passed on. */
  takePast(): readonly PastLine[];
  /**
   * Everything up to that line is stored, and the note has the remaining state: the lines may be dropped.
   * `sentSince`: how many of the last lines to the agent were written after the note was taken.
   */
  checkpoint(offset: number, note: string, sentSince: number): void;
  /** It has ended and all of its output is stored; resolves when nothing of it is left. */
  release(): Promise<void>;
}

/** Where agent processes run: as children of the server, or under holders. */
export interface ProcessHost {
  /** Throws NotStartableError if it is known at once that there is nothing to start. */
  start(spec: ProcessSpec): HostedProcess;
}

/** A process that outlived an earlier server. Its `start` resumes it. */
export interface SurvivingProcess extends ProcessHost {
  readonly id: string;
  /** Written by whoever keeps the process: one of a place is not to be trusted with what runs on this machine. */
  readonly label: string;
  /** The place where it was found, set by the server itself; null for this machine. */
  readonly place: string | null;
  /** False if only its remaining output is left. */
  readonly isAlive: boolean;
  /** Ends it: no session resumes it. */
  abandon(): Promise<void>;
}
