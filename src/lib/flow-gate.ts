type Valve = (isOpen: boolean) => void;

/** While closed, agent output stays in the pipe or the holder's journal. */
export class FlowGate {
  readonly #valves = new Set<Valve>();
  #closed: PromiseWithResolvers<void> | null = null;

  get isOpen(): boolean {
    return this.#closed === null;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = Promise.withResolvers();
    for (const valve of this.#valves) valve(false);
  }

  open(): void {
    const closed = this.#closed;
    if (!closed) return;
    this.#closed = null;
    closed.resolve();
    for (const valve of this.#valves) valve(true);
  }

  /** Null while it is open; otherwise resolves when it opens again. */
  room(): Promise<void> | null {
    return this.#closed?.promise ?? null;
  }

  /** Called at once if it is closed, and for every change, until the returned function is called. */
  follow(valve: Valve): () => void {
    this.#valves.add(valve);
    if (this.#closed) valve(false);
    return () => this.#valves.delete(valve);
  }
}
