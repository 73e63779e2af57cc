import type { AgentSink } from "../../ports/agents.ts";
import type { OwnToolServer } from "./mcp-servers.ts";

/** Where a session of ours meets its agent. */
export interface SessionPlace {
  readonly cwd: string;
  readonly sink: AgentSink;
  /** Ends what only waits, not what is under way. */
  readonly signal: AbortSignal;
  /** Our own tools, when its agent may use them. */
  readonly ownTools?: OwnToolServer | null;
}
