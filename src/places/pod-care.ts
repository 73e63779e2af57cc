import { configuredName, MAIN_POD, podName, splitPlace } from "../protocol/place-path.ts";
import type { PodPlace } from "./place.ts";
import { PlaceError } from "./place-error.ts";
import type { PlaceLink } from "./place-link.ts";
import type { PlacesParts } from "./places-parts.ts";
import { podIdOf } from "./pod.ts";
import type { Cluster } from "./pods.ts";

const ROUND_MS = 60_000;
const MINUTE_MS = 60_000;
/** The pod of the place itself, in which no session works, goes after this long without a limit of the user's. */
const MAIN_IDLE_MINUTES = 60;
const GONE = "The session was archived or deleted, and its pod with it.";
const IDLE = "The pod was idle for as long as its place allows, and was deleted.";

interface PodLinks {
  /** Of a place, or of one of its pods. Null for a place that has none. */
  cluster(name: string): Promise<{
    readonly place: PodPlace;
    readonly cluster: Pick<Cluster, "ids" | "remove">;
  } | null>;
  /** Undefined if this server has not used it. */
  known(name: string): Pick<PlaceLink, "isInUse" | "usedAtMs" | "retire"> | undefined;
}

/**
 * Deletes pods: at once when their session is archived or deleted, and in rounds where that failed, or where a pod was
 * idle for too long. A pod goes only for what is known of its session, never because nothing is known of it.
 */
export class PodCare {
  readonly #links: PodLinks;
  readonly #parts: PlacesParts;
  /** Pods of sessions that have ended, which could not be deleted yet. */
  readonly #ended = new Set<string>();
  /** Since when they are known, where this server has not used them. */
  readonly #seenAtMs = new Map<string, number>();
  readonly #timer: ReturnType<typeof setInterval>;
  #round: Promise<void> = Promise.resolve();

  constructor(links: PodLinks, parts: PlacesParts) {
    this.#links = links;
    this.#parts = parts;
    this.#timer = setInterval(() => void this.run(), ROUND_MS);
    this.#timer.unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** The session that a pod was made for is archived or deleted. */
  async ended(name: string): Promise<void> {
    if (await this.#hasOpenSession(name)) return;
    this.#ended.add(name);
    await this.run();
  }

  /** One round after the other. Never rejects. */
  run(nowMs = (): number => performance.now()): Promise<void> {
    this.#round = this.#round.then(async () => {
      for (const { name, kind } of this.#parts.configured()) {
        if (kind !== "kubernetes") continue;
        try {
          await this.#tidy(name, nowMs);
        } catch (error) {
          // The next round tries again.
          if (error instanceof PlaceError) this.#parts.warn(`Pods at ${name} were not looked after: ${error.message}`);
          else this.#parts.onError(error);
        }
      }
    });
    return this.#round;
  }

  async #tidy(place: string, nowMs: () => number): Promise<void> {
    const pods = await this.#links.cluster(place);
    if (pods === null) return;
    const ids = await pods.cluster.ids();
    const names = ids.map((id) => podName(place, id));
    for (const name of this.#ended)
      if (configuredName(name) === place && !names.includes(name)) this.#ended.delete(name);
    const archived = new Set(
      (await this.#parts.sessions.at(place)).flatMap((row) => (row.archived ? podName(place, podIdOf(row.id)) : [])),
    );
    for (const name of names) {
      const hasEnded = (this.#ended.has(name) || archived.has(name)) && !(await this.#hasOpenSession(name));
      if (!hasEnded && !(await this.#isIdle(name, pods.place.template.idleMinutes, nowMs()))) continue;
      // Whoever was stopped, and comes back when another server works, has an old view.
      await this.#parts.confirm();
      this.#links.known(name)?.retire(hasEnded ? GONE : IDLE);
      const own = await this.#links.cluster(name);
      await own?.cluster.remove(own.place.pod);
      this.#ended.delete(name);
      this.#seenAtMs.delete(name);
    }
  }

  async #isIdle(name: string, idleMinutes: number | null, nowMs: number): Promise<boolean> {
    const isMain = name === podName(configuredName(name), MAIN_POD);
    const minutes = idleMinutes ?? (isMain && !(await this.#hasOpenSession(name)) ? MAIN_IDLE_MINUTES : null);
    const link = this.#links.known(name);
    if (link?.isInUse || minutes === null) return false;
    if (!link && !this.#seenAtMs.has(name)) this.#seenAtMs.set(name, nowMs);
    const usedAtMs = link?.usedAtMs ?? this.#seenAtMs.get(name) ?? nowMs;
    return nowMs - usedAtMs >= minutes * MINUTE_MS;
  }

  /** One may work in the pod of another, from which it branched. */
  async #hasOpenSession(name: string): Promise<boolean> {
    for (const { id, archived } of await this.#parts.sessions.at(configuredName(name))) {
      if (archived) continue;
      const cwd = await this.#parts.sessions.cwdOf(id);
      if (cwd !== null && splitPlace(cwd)?.place === name) return true;
    }
    return false;
  }
}
