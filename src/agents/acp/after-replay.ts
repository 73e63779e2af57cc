import type { AgentSession, AgentSink } from "../../ports/agents.ts";
import type { AcpSession } from "./acp-session.ts";
import type { Replay } from "./replay.ts";

export interface Replayed {
  readonly session: AcpSession;
  readonly replay: Replay;
}

/** What the agent repeated is told as one; one that repeats nothing on a resume, as it should, is not waited for. */
export async function afterReplay(
  { session, replay }: Replayed,
  origin: "resumed" | "loaded",
  sink: AgentSink,
): Promise<AgentSession> {
  if (origin === "loaded" || replay.hasWords) await replay.ended();
  session.endReplay();
  session.origin = origin;
  if (replay.hasWords) sink(replay.told);
  return session;
}
