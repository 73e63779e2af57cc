import type { Delegator } from "../protocol/delegation.ts";
import type { Program, SessionId } from "../protocol/ids.ts";
import { childInfo, isSettled } from "./child-info.ts";
import type { OrchestrationParts } from "./children.ts";

const LOOK_EVERY_MS_MIN = 50;
const LOOK_EVERY_MS_MAX = 10 * 60_000;
const LOOKS_PER_LIMIT = 4;

interface IdleParts extends Pick<OrchestrationParts, "sessions" | "delegations" | "onError"> {
  readonly now: () => number;
  /** 0 keeps all agents. */
  readonly idleMsMax: number;
}

/**
 * Archives the idle agents of external programs that have not called for a while: a program that ends does not report
 * it, and its
 * agents would count against its limit forever. Agents that are working or asking stay.
 */
export class IdlePrograms {
  readonly #parts: IdleParts;
  /** Not stored: after a restart everyone has the full time again. */
  readonly #calledAt = new Map<Delegator, number>();
  readonly #startedAt: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(parts: IdleParts) {
    this.#parts = parts;
    this.#startedAt = parts.now();
  }

  called(program: Program | null): void {
    this.#calledAt.set(program, this.#parts.now());
  }

  start(): void {
    const { idleMsMax, onError } = this.#parts;
    if (idleMsMax === 0) return;
    const everyMs = Math.min(LOOK_EVERY_MS_MAX, Math.max(LOOK_EVERY_MS_MIN, idleMsMax / LOOKS_PER_LIMIT));
    this.#timer = setInterval(() => this.#look().catch(onError), everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { sessions, delegations, now, idleMsMax } = this.#parts;
    const since = now() - idleMsMax;
    for (const sessionId of await delegations.ofPrograms()) {
      const calledAt = this.#calledAt.get((await delegations.delegatorOf(sessionId)) ?? null) ?? this.#startedAt;
      if (calledAt > since || !(await this.#isIdleSince(sessionId, since))) continue;
      await sessions.execute({ type: "session:archive", sessionId });
    }
  }

  /** Including its descendants, because archiving ends those, too. */
  async #isIdleSince(sessionId: SessionId, since: number): Promise<boolean> {
    const { sessions, delegations } = this.#parts;
    const view = await sessions.view(sessionId);
    if (!view) return true;
    const info = childInfo(view);
    if (info.status === "killed") return true;
    if (!isSettled(info) || Date.parse(info.lastActiveAt) > since || view.state.waits.length > 0) return false;
    const children = await delegations.childrenOf(sessionId);
    const below = await Promise.all(children.map((id) => this.#isIdleSince(id, since)));
    return below.every(Boolean);
  }
}
