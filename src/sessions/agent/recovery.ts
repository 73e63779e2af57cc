import type { Agents } from "../../ports/agents.ts";
import type { SessionLog, StoredSession } from "../../ports/session-log.ts";
import { type CliType, cliTypeOf, type ElicitationId, type PermissionId, type SessionId } from "../../protocol/ids.ts";
import { isQuestion } from "../../protocol/pending-request.ts";
import type { PermissionOutcome } from "../../protocol/session-parts.ts";
import type { Session } from "../session.ts";
import { lostWithServer } from "./agent-link.ts";
import type { RejoinedAgent } from "./rejoined-agent.ts";

interface RecoveryDeps {
  readonly log: SessionLog;
  readonly agents: Agents;
  readonly load: (sessionId: SessionId) => Promise<Session | null>;
  /** A question that is open again. */
  readonly watch: (sessionId: SessionId, elicitationId: ElicitationId) => void;
}

/** What becomes of turns that an earlier run of the server did not see the end of. */
export class Recovery {
  /** Those that go on, until they have caught up. */
  readonly #goingOn = new Map<Session, RejoinedAgent>();

  /** To be told of every session that is loaded. */
  found(session: Session, stored: StoredSession, outcomes: ReadonlyMap<PermissionId, PermissionOutcome>): void {
    const rejoined = session.rejoin(stored, outcomes);
    if (rejoined.goesOn) this.#goingOn.set(session, rejoined);
    // Without its agent, a turn or a question found open belongs to a process that is gone.
    else if (stored.row.turn.state !== "idle" || stored.state.pending.length + stored.state.visits.length > 0)
      session.observe(lostWithServer(stored.binding));
  }

  /**
   * Turns whose agent outlived an earlier run go on, and those it was never asked for begin. The others end as
   * interrupted, with what had arrived.
   */
  async run({ log, agents, load, watch }: RecoveryDeps): Promise<{ goOn: number; interrupted: number }> {
    const unfinished = await log.unfinished();
    const attached = await Promise.all(agents.survivors().map((processId) => log.attachedTo(processId)));
    for (const id of new Set([...attached.flat(), ...unfinished])) await load(id);
    agents.catchUp();
    for (const [session, rejoined] of this.#goingOn) {
      await session.goOn(rejoined);
      for (const { elicitationId } of session.state.pending.filter(isQuestion)) watch(session.id, elicitationId);
    }
    const goOn = [...this.#goingOn.keys()].filter(({ id }) => unfinished.includes(id)).length;
    this.#goingOn.clear();
    for (const id of unfinished) await (await load(id))?.flush();
    return { goOn, interrupted: unfinished.length - goOn };
  }
}

/** Turns that failed because the user had not signed in are tried again by themselves. */
export async function retrySignedOut(sessions: Iterable<Session>, cliType: CliType): Promise<void> {
  const waiting = [...sessions].filter(({ id, state: { turn } }) => {
    const isRefused = turn.state === "idle" && turn.error?.code === "AGENT_AUTH_REQUIRED";
    return isRefused && cliTypeOf(id) === cliType;
  });
  await Promise.all(waiting.map((session) => session.dispatch({ type: "session:retry", sessionId: session.id })));
}
