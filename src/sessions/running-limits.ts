import { REFUSE, type Refusal } from "../protocol/errors.ts";
import type { ProjectId, SessionId } from "../protocol/ids.ts";
import { OWNER_ID } from "../protocol/people.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import { isTurnActive, type SessionState } from "../protocol/session-schema.ts";

/** How many sessions may work at the same time; null: any number. */
export interface RunningMax {
  readonly perPerson: number | null;
  readonly perPlace: number | null;
}

interface Running {
  readonly id: SessionId;
  readonly state: SessionState;
  readonly projectId: ProjectId;
}

interface RunningLimitsOptions {
  readonly max: RunningMax;
  readonly sessions: () => Iterable<Running>;
  /** `here`, or the name of the place. */
  readonly placeOf: (projectId: ProjectId) => string;
}

/** Who makes a session work; null: an agent, a program or a clock, which count for their place alone. */
type Starter = PersonId | null;

/** The limits on sessions that work at the same time. A message to a session that works already waits in its queue. */
export class RunningLimits {
  readonly #options: RunningLimitsOptions;
  /** Sessions whose turn is about to start, so that two at once do not overlook each other. */
  readonly #starting = new Map<SessionId, Starter>();

  constructor(options: RunningLimitsOptions) {
    this.#options = options;
  }

  /** Counts the session as working until it is disposed; a refusal says which limit it was. */
  admit(session: Running, starter: Starter): Disposable | Refusal {
    const refusal = isTurnActive(session.state.turn) ? null : this.#refusal(session, starter);
    if (refusal) return refusal;
    this.#starting.set(session.id, starter);
    return { [Symbol.dispose]: () => this.#starting.delete(session.id) };
  }

  #refusal(session: Running, starter: Starter): Refusal | null {
    const { max, sessions, placeOf } = this.#options;
    if (max.perPerson === null && max.perPlace === null) return null;
    const others = [...sessions()].filter(
      ({ id, state }) => id !== session.id && (isTurnActive(state.turn) || this.#starting.has(id)),
    );
    const place = placeOf(session.projectId);
    const here = others.filter(({ projectId }) => placeOf(projectId) === place).length;
    if (max.perPlace !== null && here >= max.perPlace)
      return REFUSE.treeLimit(
        `sessions that work at the same time ${place === "here" ? "on this machine" : `at ${place}`}`,
        max.perPlace,
        WAIT,
      );
    if (max.perPerson === null || starter === null) return null;
    const theirs = others.filter((one) => this.#starterOf(one) === starter).length;
    return theirs < max.perPerson
      ? null
      : REFUSE.treeLimit("sessions that work at the same time for one person", max.perPerson, WAIT);
  }

  #starterOf({ id, state }: Running): Starter {
    const starting = this.#starting.get(id);
    if (starting !== undefined) return starting;
    const said = state.open.findLast((entry) => entry.type === "user" && entry.parentToolCallId === undefined);
    if (said?.type !== "user" || said.author !== undefined) return null;
    return said.person?.id ?? OWNER_ID;
  }
}

const WAIT = "Wait until one of them has ended, or stop it. The limit is in config.json of the server.";
