import { TaskQueue } from "../lib/task-queue.ts";
import type { HookStore, StoredHook } from "../ports/hook-store.ts";
import { isoTime, type World } from "../ports/world.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import {
  type ChangedHook,
  HOOK_CALLS_PER_MINUTE_MAX,
  HOOK_RUNS_MAX,
  HOOKS_MAX,
  type HookRun,
  type NewHook,
  type ShownHook,
} from "../protocol/incoming-hooks.ts";
import { isSameSecret, keyedHash } from "./secrets.ts";

const MINUTE_MS = 60_000;

interface IncomingHooksOptions {
  readonly store: HookStore;
  /** Of the app. With another one the secrets of all hooks are invalid. */
  readonly token: string;
  readonly world: World;
  /** At least 128 random bits, url-safe. */
  readonly newSecret: () => string;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicMs: () => number;
  readonly onUnstored: (error: unknown) => void;
}

/** The hooks that start prompts: each with a secret of its own, which is shown once and stored as a hash. */
export class IncomingHooks {
  readonly #options: IncomingHooksOptions;
  readonly #known: Map<string, StoredHook>;
  readonly #calls = new Map<string, { since: number; count: number }>();
  readonly #writes = new TaskQueue();

  static async open(options: IncomingHooksOptions): Promise<IncomingHooks> {
    return new IncomingHooks(options, await options.store.list());
  }

  private constructor(options: IncomingHooksOptions, stored: readonly StoredHook[]) {
    this.#options = options;
    this.#known = new Map(stored.map((one) => [one.hook.name, one]));
  }

  /** By name. */
  list(): readonly ShownHook[] {
    return [...this.#known.values()].map(({ hook }) => hook).sort((one, other) => one.name.localeCompare(other.name));
  }

  /** Replaces one of this name, with a new secret. */
  async create(wanted: NewHook): Promise<{ readonly hook: ShownHook; readonly path: string; readonly secret: string }> {
    const { world, newSecret, store } = this.#options;
    if (!this.#known.has(wanted.name) && this.#known.size >= HOOKS_MAX)
      throw new RefusalError(REFUSE.limitExceeded("hooks", HOOKS_MAX));
    const secret = newSecret();
    const hook = { ...wanted, createdAt: isoTime(world) };
    const stored = { hook, secretHash: this.#hash(wanted.name, secret) };
    await this.#writes.run(() => store.put(stored));
    this.#known.set(wanted.name, stored);
    return { hook, path: `/hooks/${wanted.name}`, secret };
  }

  find(name: string): ShownHook | null {
    return this.#known.get(name)?.hook ?? null;
  }

  /** Existing callers keep their secret. Null: there is none of this name. */
  async change({ name, projectId, cliType, template }: ChangedHook): Promise<ShownHook | null> {
    const known = this.#known.get(name);
    if (!known) return null;
    const hook: ShownHook = {
      ...known.hook,
      ...(projectId !== undefined && { projectId }),
      ...(cliType !== undefined && { cliType }),
      ...(template !== undefined && { template }),
    };
    const next = { ...known, hook };
    await this.#writes.run(() => this.#options.store.put(next));
    this.#known.set(name, next);
    return hook;
  }

  async remove(name: string): Promise<boolean> {
    if (!this.#known.delete(name)) return false;
    await this.#writes.run(() => this.#options.store.delete(name));
    return true;
  }

  /** The hook, if the secret is its own; a caller cannot distinguish an unknown name from a wrong secret. */
  recognize(name: string, secret: string): ShownHook | null {
    const known = this.#known.get(name);
    const isRight = isSameSecret(known?.secretHash ?? "", this.#hash(name, secret));
    return known && isRight ? known.hook : null;
  }

  /** Counts a call; the seconds to wait if there were too many, else 0. */
  countCall(name: string): number {
    const now = this.#options.monotonicMs();
    const known = this.#calls.get(name);
    const minute = known && now - known.since < MINUTE_MS ? known : { since: now, count: 0 };
    this.#calls.set(name, minute);
    minute.count += 1;
    return minute.count <= HOOK_CALLS_PER_MINUTE_MAX ? 0 : Math.ceil((minute.since + MINUTE_MS - now) / 1_000);
  }

  /** For a call that has none. */
  newKey(): string {
    return this.#options.newSecret();
  }

  /** How a call ended, for the list. */
  ended(name: string, outcome: Omit<HookRun, "at">): void {
    const { world, store, onUnstored } = this.#options;
    const known = this.#known.get(name);
    if (!known) return;
    const last = { at: isoTime(world), ...outcome };
    // A call that is repeated has started nothing new.
    const earlier = (known.hook.runs ?? []).filter(
      ({ sessionId }) => sessionId === undefined || sessionId !== outcome.sessionId,
    );
    const runs = [last, ...earlier].slice(0, HOOK_RUNS_MAX);
    const next = { ...known, hook: { ...known.hook, last, runs } };
    this.#known.set(name, next);
    this.#writes.run(async () => (this.#known.get(name) === next ? store.put(next) : undefined)).catch(onUnstored);
  }

  #hash(name: string, secret: string): string {
    return keyedHash(this.#options.token, `hook ${name}:${secret}`);
  }
}
