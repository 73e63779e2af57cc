const HELD_UPDATES_MAX = 1_000;

/** What an agent says in a session before that session's id has reached us; the oldest goes when there is too much. */
export class EarlyMail<Session> {
  #held: { readonly agentSessionId: string; readonly deliver: (session: Session) => void }[] = [];

  hold(agentSessionId: string, deliver: (session: Session) => void): void {
    if (this.#held.length >= HELD_UPDATES_MAX) this.#held.shift();
    this.#held.push({ agentSessionId, deliver });
  }

  /** In the order it came. */
  deliverTo(agentSessionId: string, session: Session): void {
    const waiting = this.#held.filter((mail) => mail.agentSessionId === agentSessionId);
    this.#held = this.#held.filter((mail) => mail.agentSessionId !== agentSessionId);
    for (const { deliver } of waiting) deliver(session);
  }

  /** Nothing is being attached: whatever waits belongs to a session nobody will ask for. */
  clear(): void {
    this.#held = [];
  }
}
