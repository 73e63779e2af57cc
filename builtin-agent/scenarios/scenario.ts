import type { Turn } from "../turn/turn.ts";
import type { Answer } from "../wire/connection.ts";

/** Lasting misbehaviour outside a turn; a scenario enables some of it. */
export type Quirks = {
  silentInitialize: boolean;
  refusedInitialize: boolean;
  futureVersion: boolean;
  authRequired: boolean;
  refusedNew: boolean;
  updateBeforeNew: boolean;
  permissionAfterNew: boolean;
  replayAfterAnswer: boolean;
  replayOnResume: boolean;
  leakyReplay: boolean;
  stringIds: boolean;
  deafToExit: boolean;
};

/** A simulation of one way in which real agents misbehave. */
export type Scenario = {
  readonly name: string;
  readonly summary: string;
  /** Runs before the first byte is read. */
  readonly atStart?: () => void;
  readonly quirks?: Partial<Quirks>;
  /** Runs inside a turn; a returned answer ends the turn, otherwise the usual answer follows. */
  readonly onPrompt?: (turn: Turn) => Promise<Answer | undefined> | Answer | undefined;
};

/** The quirks of a well-behaved agent. */
export function noQuirks(): Quirks {
  return {
    silentInitialize: false,
    refusedInitialize: false,
    futureVersion: false,
    authRequired: false,
    refusedNew: false,
    updateBeforeNew: false,
    permissionAfterNew: false,
    replayAfterAnswer: false,
    replayOnResume: false,
    leakyReplay: false,
    stringIds: false,
    deafToExit: false,
  };
}

/** Sends an update that the types forbid, and does not record it. */
export function sendRaw(turn: Turn, update: object): void {
  const { client, session } = turn.context;
  client.connection.notify("session/update", { sessionId: session.id, update });
}

/** The usual end of a scripted turn. */
export const END_TURN = { stopReason: "end_turn" } as const;
