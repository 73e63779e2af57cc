type Env = Readonly<Record<string, string | undefined>>;

/** Process groups of running commands, so that every kind of exit ends them. */
export class RunningCommands {
  readonly #groups = new Set<number>();
  readonly #env: Env;
  readonly #secret: () => string;

  constructor(env: Env, secret: () => string) {
    this.#env = env;
    this.#secret = secret;
  }

  /** A variable that commands must not see, if set. */
  get secret(): string | undefined {
    const name = this.#secret();
    return this.#env[name] === undefined ? undefined : name;
  }

  /** The environment of commands. */
  get env(): Env {
    const { secret } = this;
    return secret === undefined ? this.#env : { ...this.#env, [secret]: undefined };
  }

  add(group: number): void {
    this.#groups.add(group);
  }

  remove(group: number): void {
    this.#groups.delete(group);
  }

  killAll(): void {
    for (const group of this.#groups) signalGroup(group, "SIGKILL");
    this.#groups.clear();
  }
}

/** Signals a whole group; one that has already ended is fine. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    const gone = error instanceof Error && "code" in error && error.code === "ESRCH";
    if (!gone) throw error;
  }
}
