import type { SessionState } from "../../../src/protocol/session-schema.ts";

/** What one client did or saw. The order of all of them is the order in which it happened. */
export type HistoryEvent =
  | { readonly type: "asked"; readonly client: string; readonly sessionId: string; readonly commandId: string }
  | {
      readonly type: "answered";
      readonly client: string;
      readonly commandId: string;
      readonly answer: "acknowledged" | "refused";
      /** The fact that it made, where the answer names it. */
      readonly seq: number | null;
    }
  /** It was given a session as it stands; `from`: the facts that come next begin after this one. */
  | {
      readonly type: "opened";
      readonly client: string;
      readonly sessionId: string;
      readonly seq: number;
      readonly from: number;
    }
  | {
      readonly type: "read";
      readonly client: string;
      readonly sessionId: string;
      readonly seq: number;
      readonly fact: string;
    };

/** One fact as it stands in the log. */
export interface LoggedFact {
  readonly seq: number;
  readonly json: string;
}

/** One turn by the agent's own word. */
export interface AgentTurn {
  readonly starts: number;
  readonly text: string;
  /** The last output by call. */
  readonly outputs: ReadonlyMap<string, string>;
  readonly asks: number;
  readonly answers: number;
  readonly ends: readonly string[];
}

/** What is there when all is over. */
export interface Outcome {
  /** By session, in the order of the database; from the first fact on. */
  readonly logs: ReadonlyMap<string, readonly LoggedFact[]>;
  /** By the number that a prompt names, in the order in which the agents got them. */
  readonly turns: ReadonlyMap<string, AgentTurn>;
  /** What each client shows at the end. */
  readonly shown: readonly { readonly client: string; readonly sessionId: string; readonly state: SessionState }[];
}

/** All that happened in one run, in one order. */
export class History {
  readonly events: HistoryEvent[] = [];

  note(event: HistoryEvent): void {
    this.events.push(event);
  }
}
