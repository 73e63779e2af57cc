import type { AgentSink, IsStored } from "../../ports/agents.ts";
import type { OwnToolServer } from "./mcp-servers.ts";

/** Where a session of ours meets its agent. */
export interface SessionPlace {
  readonly cwd: string;
  readonly sink: AgentSink;
  /** Whether what the sink was told is on disk; without it, nobody wants it there. */
  readonly isStored?: IsStored;
  /** Ends what only waits, not what is under way. */
  readonly signal: AbortSignal;
  /** Our own tools, when its agent may use them. */
  readonly ownTools?: OwnToolServer | null;
}
