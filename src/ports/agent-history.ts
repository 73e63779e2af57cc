import type { CliType } from "../protocol/ids.ts";
import type { AgentEvent } from "./agents.ts";

/** A conversation that the agent lists. */
export interface ListedSession {
  readonly agentSessionId: string;
  /** Exactly as the agent gave it: some keep their sessions by it. */
  readonly cwd: string;
  readonly title: string | null;
  /** ISO 8601, UTC. */
  readonly updatedAt: string | null;
}

/** Receives a replayed conversation, in order; `at` is the time of the event, if the agent reports it. */
export type HistorySink = (event: AgentEvent, at: string | null) => void;

/**
 * The conversations that an agent remembers, read in a separate process: nothing it replays can reach a session in
 * use, and its resources are freed with it. Failures are RefusalErrors that say what to do.
 */
export interface HistoryReader extends AsyncDisposable {
  /** `words`: it replays the messages; `memory`: it can only continue the conversation. */
  readonly brings: "words" | "memory";
  /** Newest first; `isCut` when there are more than the limit. */
  list(cwd: string): Promise<{ readonly sessions: readonly ListedSession[]; readonly isCut: boolean }>;
  /** `begin` is called again when a read was started over. May be called while other reads are running. */
  read(session: ListedSession, begin: () => HistorySink): Promise<void>;
}

export interface AgentHistories {
  openHistory(cliType: CliType): Promise<HistoryReader>;
}
