import type { ArmedWait } from "../protocol/delegation.ts";
import type { AgentStatus } from "../protocol/server-messages.ts";
import type { Turn } from "../protocol/session-parts.ts";

/** What the agent does, as a mark and a word; the name of the agent stands beside it. */
export interface AgentWords {
  readonly mark: "working" | "waiting" | "stalled" | "failed" | "paused" | "idle" | "ok";
  readonly word: string;
  readonly tone: "plain" | "waiting" | "failed";
}

/** A broken agent matters more than its turn, a turn more than an agent at rest. */
export function agentWords(status: AgentStatus, turn: Turn, waits: readonly ArmedWait[] = []): AgentWords {
  if (status === "disconnected") return { mark: "failed", word: "disconnected", tone: "failed" };
  if (status === "reconnecting") return { mark: "working", word: "reconnecting", tone: "plain" };
  if (status === "starting") return { mark: "working", word: "starting", tone: "plain" };
  switch (turn.state) {
    case "running":
      return { mark: "working", word: "working", tone: "plain" };
    case "waiting":
      return { mark: "waiting", word: "waiting for you", tone: "waiting" };
    case "stalled":
      return { mark: "stalled", word: "no output", tone: "waiting" };
    case "idle":
      if (waits.length > 0) return { mark: "paused", word: agentsWaitedFor(waits), tone: "plain" };
      return status === "connected"
        ? { mark: "ok", word: "ready", tone: "plain" }
        : { mark: "idle", word: "not running", tone: "plain" };
    default:
      return turn.state satisfies never;
  }
}

function agentsWaitedFor(waits: readonly ArmedWait[]): string {
  const count = new Set(waits.flatMap(({ agentIds }) => agentIds)).size;
  return `waiting for ${count} ${count === 1 ? "agent" : "agents"}`;
}
