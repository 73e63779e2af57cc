/** Counts what was promised and is not yet on record, by whom it was promised to. */
export class Places<Owner> {
  readonly #taken = new Map<Owner, number>();

  taken(owner: Owner): number {
    return this.#taken.get(owner) ?? 0;
  }

  take(owner: Owner): Disposable {
    this.#add(owner, 1);
    let given = true;
    return {
      [Symbol.dispose]: () => {
        if (given) this.#add(owner, -1);
        given = false;
      },
    };
  }

  #add(owner: Owner, change: number): void {
    const count = this.taken(owner) + change;
    if (count === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, count);
  }
}
