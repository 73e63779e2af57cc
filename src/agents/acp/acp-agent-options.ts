import type { QuestionDesk } from "../../ports/agents.ts";
import type { World } from "../../ports/world.ts";
import type { CliType } from "../../protocol/ids.ts";
import type { ProcessHost } from "../process/process-host.ts";
import type { WireTrace } from "./connection/wire-trace.ts";

export interface AcpAgentOptions {
  readonly id: CliType;
  readonly name: string;
  readonly host: ProcessHost;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly epoch: string;
  /** Names the process among all there ever were. */
  readonly processId: string;
  /** Set when the process outlives the server: what the next one must know of it. */
  readonly held: { readonly id: string; readonly label: string } | null;
  readonly trace: WireTrace;
  readonly world: World;
  readonly clientVersion: string;
  readonly onTurnCompleted: () => void;
  /** It goes on with a session that was closed: only the end of the process stops it. */
  readonly onUnstoppable: () => void;
  /** It wrote a line that is no message. */
  readonly onUnreadable?: (text: string) => void;
  readonly desk: QuestionDesk;
  /** What the agent may ask us to do for it. */
  readonly serves: { readonly fs: boolean; readonly terminal: boolean };
  /** Directories that it may not touch through us, wherever its sessions work. */
  readonly guarded: readonly string[];
  readonly onError: (error: unknown) => void;
}
