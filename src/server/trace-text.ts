import type { AgentPool } from "../agents/pool/agent-pool.ts";
import { asPlainJson } from "../lib/harmless-text.ts";
import { cliTypeOf, SessionId } from "../protocol/ids.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { VERSION } from "./version.ts";

/** A session's wire trace for people and bug reports: a heading line, then one JSON object per message. */
export function traceText(
  id: string,
  { pool, sessions }: { pool: AgentPool; sessions: SessionService },
): string | null {
  const sessionId = SessionId.safeParse(id);
  if (!sessionId.success || !sessions.exists(sessionId.data)) return null;
  const cliType = cliTypeOf(sessionId.data);
  const heading = { liminalBuilder: VERSION, sessionId: sessionId.data, cliType };
  const lines = pool
    .trace(cliType, sessionId.data)
    .map(({ at, ...line }) => ({ at: new Date(at).toISOString(), ...line }));
  return [heading, ...lines].map((line) => asPlainJson(JSON.stringify(line))).join("\n");
}
