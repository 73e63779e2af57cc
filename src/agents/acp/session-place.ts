import type { AgentSink, IsStored } from "../../ports/agents.ts";
import type { McpServerSetting, OwnToolServer } from "./mcp-servers.ts";

export interface SessionTools {
  /** Tool servers of the user's. */
  readonly mcpServers: readonly McpServerSetting[];
  /** Our own tools, when its agent may use them. */
  readonly ownTools: OwnToolServer | null;
}

/** Where a session of ours meets its agent. */
export interface SessionPlace extends Partial<SessionTools> {
  readonly cwd: string;
  readonly sink: AgentSink;
  /** Whether what the sink was told is on disk; without it, nobody wants it there. */
  readonly isStored?: IsStored;
  /** Ends what only waits, not what is under way. */
  readonly signal: AbortSignal;
}
