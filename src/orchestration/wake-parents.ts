import type { ArmedWait } from "../protocol/delegation.ts";
import type { Fact } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import { isTurnActive } from "../protocol/session-schema.ts";
import { cutAt } from "../protocol/shown-text.ts";
import type { Delegations } from "../sessions/delegation/delegations.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { WorktreeService } from "../sessions/worktree-service.ts";
import { childInfo, isSettled, lastMessage, shorten } from "./child-info.ts";
import { conflictWords } from "./overlaps.ts";

interface WakerParts {
  readonly sessions: SessionService;
  readonly delegations: Delegations;
  readonly worktrees: Pick<WorktreeService, "freshRadarOf">;
  readonly onError: (error: unknown) => void;
}

/**
 * Resumes sessions whose turn has ended when the agents they wait for are done, even if that happened while the server
 * was down.
 */
export class ParentWaker {
  readonly #parts: WakerParts;

  constructor(parts: WakerParts) {
    this.#parts = parts;
  }

  /** Must be called with stored facts. */
  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    // Not at once: what follows the end in the same step counts, too.
    if (facts.some(mayWake)) setImmediate(() => void this.#lookAround(sessionId).catch(this.#parts.onError));
  }

  /** Waits from an earlier run of the server. */
  async start(): Promise<void> {
    for (const id of await this.#parts.delegations.waiting()) this.#check(id);
  }

  /** At the session whose turn or pause ended, and at its parent. */
  async #lookAround(ended: SessionId): Promise<void> {
    const parent = await this.#parts.delegations.parentOf(ended);
    this.#check(ended);
    if (parent) this.#check(parent);
  }

  #check(sessionId: SessionId): void {
    this.#look(sessionId).catch(this.#parts.onError);
  }

  async #look(sessionId: SessionId): Promise<void> {
    const { sessions } = this.#parts;
    const view = await sessions.view(sessionId);
    const waits = view?.state.waits ?? [];
    if (!view || waits.length === 0 || isTurnActive(view.state.turn)) return;
    const isMet = await Promise.all(waits.map((wait) => this.#isMet(wait)));
    const met = waits.filter((_, index) => isMet[index]);
    if (met.length === 0) return;
    const agentIds = [...new Set(met.flatMap((wait) => wait.agentIds))];
    const waitIds = met.map(({ waitId }) => waitId);
    const content = await digestOf(this.#parts, agentIds);
    // Refused while the session works or waits for a usage limit: the end of either triggers the next check.
    await sessions.execute({ type: "session:wake", sessionId, waitIds, content });
  }

  /** A deleted agent has ended, too. */
  async #isMet({ agentIds, until }: ArmedWait): Promise<boolean> {
    const views = await Promise.all(agentIds.map((id) => this.#parts.sessions.view(id)));
    const ended = views.map((view) => view === null || isSettled(childInfo(view)));
    return until === "any" ? ended.some(Boolean) : ended.every(Boolean);
  }
}

/** A turn or a usage limit has ended. */
function mayWake(fact: Fact): boolean {
  if (fact.type === "session:pause") return fact.pause === null;
  return fact.type === "session:turn" && fact.turn.state === "idle";
}

const DIGEST_CHARS_MAX = 20_000;
const AGENT_CHARS_MAX = 2_000;
const TITLE_CHARS_MAX = 100;
const STANDING_CHARS_MIN = 100;
const ENTRIES_LOOKED_AT = 50;

/** Summarizes the agents that a session waited for, for its own agent and for the user. */
async function digestOf(
  { sessions, worktrees }: Pick<WakerParts, "sessions" | "worktrees">,
  agentIds: readonly SessionId[],
): Promise<string> {
  // Each gets a share of the limit, so that none is left out.
  const charsMax = Math.min(AGENT_CHARS_MAX, Math.floor(DIGEST_CHARS_MAX / Math.max(1, agentIds.length)));
  const describe = async (id: SessionId) => {
    const view = await sessions.view(id);
    if (!view) return `## ${id}\nIt was deleted.`;
    const { title, status, outcome, why } = childInfo(view);
    const start = await sessions.open(id, undefined, ENTRIES_LOOKED_AT);
    const said = start?.type === "session:history" ? lastMessage(start.entries) : "";
    const head = `## ${title.slice(0, TITLE_CHARS_MAX)} (${id})`;
    const left = Math.max(STANDING_CHARS_MIN, charsMax - head.length);
    const whole = `${status}: ${outcome}${why === undefined ? "" : `. ${why}`}`;
    const standing = whole.length <= left ? whole : `${cutAt(whole, left)} [CUT: get_agent_info has all of it]`;
    const conflicts = cutAt(conflictWords(await worktrees.freshRadarOf(id)), Math.max(0, left - standing.length));
    const rest = Math.max(0, left - standing.length - conflicts.length);
    return [head, standing, conflicts, said && shorten(said, rest)].filter(Boolean).join("\n\n");
  };
  const parts = await Promise.all(agentIds.map(describe));
  const head = "Liminal Builder: the agents you waited for have finished. Use get_agent_output for their full output.";
  return [head, ...parts].join("\n\n");
}
