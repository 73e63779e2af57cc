/**
 * A part that is built with its first use, in that step: with `require` for its module, nothing happens in between and
 * no two first uses meet. If building fails, the next use tries again.
 */
export class FirstUse<Part extends object> {
  readonly #build: () => Part;
  readonly #onBuilt: ((part: Part) => void)[] = [];
  #built: Part | null = null;

  constructor(build: () => Part) {
    this.#build = build;
  }

  readonly use = (): Part => {
    if (this.#built === null) {
      const part = this.#build();
      this.#built = part;
      for (const follow of this.#onBuilt) follow(part);
    }
    return this.#built;
  };

  /** Null before the first use. */
  get built(): Part | null {
    return this.#built;
  }

  /** Before whoever uses it first has it. */
  onBuilt(follow: (part: Part) => void): void {
    if (this.#built === null) this.#onBuilt.push(follow);
    else follow(this.#built);
  }
}

/** What those need who use and follow it. */
export type UsedLater<Part extends object> = Pick<FirstUse<Part>, "use" | "built" | "onBuilt">;
