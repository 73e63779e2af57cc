type Valve = (isOpen: boolean) => void;

/** Closed, what flows in is left where it is: in pipes and in the journals of those who keep it. */
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

  /** Null while it is open, else when it will be again. */
  room(): Promise<void> | null {
    return this.#closed?.promise ?? null;
  }

  /** Told at once where it is closed, and of every change, until the returned function is called. */
  follow(valve: Valve): () => void {
    this.#valves.add(valve);
    if (this.#closed) valve(false);
    return () => this.#valves.delete(valve);
  }
}
