import type { Hub } from "../fanout/hub.ts";
import type { ArmedWait } from "../protocol/delegation.ts";
import type { SessionId } from "../protocol/ids.ts";
import { isTurnActive } from "../protocol/session-state.ts";
import type { Delegations } from "../sessions/delegation/delegations.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { childInfo, isSettled } from "./child-info.ts";
import { digestOf } from "./digest.ts";

interface WakerParts {
  readonly sessions: SessionService;
  readonly delegations: Delegations;
  readonly hub: Hub;
  readonly onError: (error: unknown) => void;
}

/** Goes on with sessions whose turn is over when what they wait for has come, also when it came while we were down. */
export class ParentWaker {
  readonly #parts: WakerParts;

  constructor(parts: WakerParts) {
    this.#parts = parts;
    parts.hub.overhear((batch) => {
      const ended = batch.flatMap((one) =>
        one.kind === "fact" && one.fact.type === "session:turn" && one.fact.turn.state === "idle"
          ? [one.fact.sessionId]
          : [],
      );
      for (const id of new Set(
        ended.flatMap((sessionId) => [sessionId, parts.delegations.parentOf(sessionId) ?? []].flat()),
      ))
        this.#look(id);
    });
  }

  /** What was armed in an earlier run of the server. */
  start(): void {
    for (const id of this.#parts.delegations.waiting()) this.#look(id);
  }

  #look(sessionId: SessionId): void {
    const { sessions, onError } = this.#parts;
    const view = sessions.view(sessionId);
    const waits = view?.state.waits ?? [];
    if (!view || waits.length === 0 || isTurnActive(view.state.turn)) return;
    const met = waits.filter((wait) => this.#isMet(wait));
    if (met.length === 0) return;
    const agentIds = [...new Set(met.flatMap((wait) => wait.agentIds))];
    const waitIds = met.map(({ waitId }) => waitId);
    const content = digestOf(sessions, agentIds);
    // Refused when the session was told something else meanwhile: then its next end brings us back here.
    sessions.execute({ type: "session:wake", sessionId, waitIds, content }).catch(onError);
  }

  /** An agent that is gone altogether has ended too. */
  #isMet({ agentIds, until }: ArmedWait): boolean {
    const ended = agentIds.map((id) => {
      const view = this.#parts.sessions.view(id);
      return view === null || isSettled(childInfo(view));
    });
    return until === "any" ? ended.some(Boolean) : ended.every(Boolean);
  }
}
