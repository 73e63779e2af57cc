import type { Agents } from "../../ports/agents.ts";
import type { SessionLog, StoredSession } from "../../ports/session-log.ts";
import { type CliType, cliTypeOf, type ElicitationId, type PermissionId, type SessionId } from "../../protocol/ids.ts";
import { isQuestion } from "../../protocol/pending-request.ts";
import type { PermissionOutcome } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
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

/** Decides about turns that were running when an earlier server stopped. */
export class Recovery {
  /** Turns that continue, until they have caught up. */
  readonly #goingOn = new Map<Session, RejoinedAgent>();

  /** Must be called for every loaded session. */
  found(session: Session, stored: StoredSession, outcomes: ReadonlyMap<PermissionId, PermissionOutcome>): void {
    const rejoined = session.rejoin(stored, outcomes);
    if (rejoined.continues) this.#goingOn.set(session, rejoined);
    // Without its agent, an open turn, question or sub-agent belongs to a process that has ended.
    else if (stored.row.turn.state !== "idle" || openParts(stored.state) > 0)
      session.observe(lostWithServer(stored.binding));
  }

  /**
   * Turns whose agent outlived an earlier run continue, and those that were never prompted start. The others end as
   * interrupted, with the output received so far.
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

function openParts({ pending, visits, subAgentCalls }: SessionState): number {
  return pending.length + visits.length + subAgentCalls.length;
}

/** Turns that failed because the user had not signed in are retried automatically. */
export async function retrySignedOut(sessions: Iterable<Session>, cliType: CliType): Promise<void> {
  const waiting = [...sessions].filter(({ id, state: { turn } }) => {
    const isRefused = turn.state === "idle" && turn.error?.code === "AGENT_AUTH_REQUIRED";
    return isRefused && cliTypeOf(id) === cliType;
  });
  await Promise.all(waiting.map((session) => session.dispatch({ type: "session:retry", sessionId: session.id })));
}
