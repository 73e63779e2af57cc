type Env = Readonly<Record<string, string | undefined>>;

/** Process groups of commands that run now, so that no way of leaving forgets one. */
export class RunningCommands {
  readonly #groups = new Set<number>();
  readonly #env: Env;
  /** A variable that no command may see, where it is set. */
  readonly secret: string | undefined;

  constructor(env: Env, secret: string) {
    this.#env = env;
    this.secret = env[secret] === undefined ? undefined : secret;
  }

  /** What commands find in their environment. */
  get env(): Env {
    return this.secret === undefined ? this.#env : { ...this.#env, [this.secret]: undefined };
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

/** Signals a whole group; a group that is already gone is what we want. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    const gone = error instanceof Error && "code" in error && error.code === "ESRCH";
    if (!gone) throw error;
  }
}
