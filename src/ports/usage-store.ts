import type { CliType, ProjectId, SessionId } from "../protocol/ids.ts";

/** What one turn used. */
export interface TurnUsage {
  readonly sessionId: SessionId;
  readonly projectId: ProjectId;
  readonly cliType: CliType;
  readonly account: string | null;
  /** When it last used something. */
  readonly at: string;
  readonly tokens: number;
  readonly cost: number;
  readonly currency: string | null;
}

/** Usage of turns. The session log writes it together with the facts that report it. */
export interface UsageStore {
  /** Newest first; includes deleted sessions. */
  since(at: string, turnsMax: number): Promise<readonly TurnUsage[]>;
}
