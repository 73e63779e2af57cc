import type { ProcessHost, ProcessSpec } from "../../process/process-host.ts";
import type { AcpHooks } from "./acp-hooks.ts";
import type { WireTrace } from "./wire-trace.ts";

/** What a connection needs: how the agent's process is started, and who hears what it says. */
export interface AcpConnectionOptions {
  readonly host: ProcessHost;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Tells answers to this run of the server from answers to an earlier one. */
  readonly epoch: string;
  /** For a process that outlives the server. */
  readonly held: NonNullable<ProcessSpec["held"]> | null;
  readonly trace: WireTrace;
  /** A line that is no message; the trace has it. */
  readonly onUnreadable?: (text: string) => void;
  readonly hooks: AcpHooks;
}
