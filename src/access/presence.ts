import type { SessionId } from "../protocol/ids.ts";
import type { PersonId, PersonRef } from "../protocol/person-ref.ts";

interface PresenceOptions {
  /** Undefined while there is only the owner: then nothing is sent. */
  readonly named: (id: PersonId) => PersonRef | undefined;
  readonly onChanged: (sessionId: SessionId, people: readonly PersonRef[]) => void;
}

/** Who shows which session now. A person with several windows counts once. */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #viewers = new Map<SessionId, Map<object, PersonId>>();

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  show(sessionId: SessionId, viewer: object, person: PersonId): void {
    const viewers = this.#viewers.get(sessionId) ?? new Map<object, PersonId>();
    this.#viewers.set(sessionId, viewers);
    this.#change(sessionId, () => viewers.set(viewer, person));
  }

  /** Without a session: everything that the viewer showed. */
  hide(viewer: object, sessionId?: SessionId): void {
    for (const id of sessionId === undefined ? [...this.#viewers.keys()] : [sessionId]) {
      const viewers = this.#viewers.get(id);
      if (!viewers?.has(viewer)) continue;
      this.#change(id, () => viewers.delete(viewer));
      if (viewers.size === 0) this.#viewers.delete(id);
    }
  }

  /** By name. */
  of(sessionId: SessionId): readonly PersonRef[] {
    return [...new Set(this.#viewers.get(sessionId)?.values() ?? [])]
      .flatMap((id) => this.#options.named(id) ?? [])
      .sort((one, other) => one.name.localeCompare(other.name));
  }

  #change(sessionId: SessionId, change: () => void): void {
    const before = JSON.stringify(this.of(sessionId));
    change();
    const people = this.of(sessionId);
    if (JSON.stringify(people) !== before) this.#options.onChanged(sessionId, people);
  }
}
