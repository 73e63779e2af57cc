import type { Turn } from "../turn/turn.ts";
import type { Answer } from "../wire/connection.ts";

/** Lasting misbehaviour outside a turn; a scenario switches some of it on. */
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

/** One way in which real agents misbehave, played on purpose. */
export type Scenario = {
  readonly name: string;
  readonly summary: string;
  /** Before the first byte is read. */
  readonly atStart?: () => void;
  readonly quirks?: Partial<Quirks>;
  /** Inside a turn; an answer ends the turn with it, nothing lets the usual answer follow. */
  readonly onPrompt?: (turn: Turn) => Promise<Answer | undefined> | Answer | undefined;
};

/** A well-behaved agent. */
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

/** Sends what the types forbid, and keeps it out of the session's file. */
export function sendRaw(turn: Turn, update: object): void {
  const { client, session } = turn.context;
  client.connection.notify("session/update", { sessionId: session.id, update });
}

/** The usual end of a scripted turn. */
export const END_TURN = { stopReason: "end_turn" } as const;
