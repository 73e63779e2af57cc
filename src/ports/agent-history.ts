import type { CliType } from "../protocol/ids.ts";
import type { AgentEvent } from "./agents.ts";

/** A conversation the agent says it has. */
export interface ListedSession {
  readonly agentSessionId: string;
  /** Exactly as the agent gave it: some keep their sessions by it. */
  readonly cwd: string;
  readonly title: string | null;
  /** ISO 8601, UTC. */
  readonly updatedAt: string | null;
}

/** Hears a conversation again, in order; `at` is when something was said, where the agent knows. */
export type HistorySink = (event: AgentEvent, at: string | null) => void;

/**
 * What an agent remembers, read in a process of its own: nothing it repeats can reach a session that is in use, and
 * what it holds for the reading goes with it. Failures are RefusalErrors that say what to do.
 */
export interface HistoryReader extends AsyncDisposable {
  /** `words`: it repeats what was said; `memory`: it can only go on from there. */
  readonly brings: "words" | "memory";
  /** Newest first; `isCut` when there are more than the limit. */
  list(cwd: string): Promise<{ readonly sessions: readonly ListedSession[]; readonly isCut: boolean }>;
  /** `begin` is called anew when a reading had to be started over. May be called while others are under way. */
  read(session: ListedSession, begin: () => HistorySink): Promise<void>;
}

export interface AgentHistories {
  openHistory(cliType: CliType): Promise<HistoryReader>;
}
