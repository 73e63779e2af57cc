import type { Hub } from "../fanout/hub.ts";
import type { ArmedWait } from "../protocol/delegation.ts";
import type { SessionId } from "../protocol/ids.ts";
import { isTurnActive } from "../protocol/session-schema.ts";
import { cutAt } from "../protocol/shown-text.ts";
import type { Delegations } from "../sessions/delegation/delegations.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { childInfo, isSettled, lastMessage, shorten } from "./child-info.ts";

interface WakerParts {
  readonly sessions: SessionService;
  readonly delegations: Delegations;
  readonly hub: Hub;
  readonly onError: (error: unknown) => void;
}

/** Goes on with sessions whose turn is over when what they wait for has come, also when it came while we were down. */
export class ParentWaker {
  readonly #parts: WakerParts;

  constructor(parts: WakerParts) {
    this.#parts = parts;
    parts.hub.overhear((batch) => {
      const ended = batch.flatMap((one) =>
        one.kind === "fact" && one.fact.type === "session:turn" && one.fact.turn.state === "idle"
          ? [one.fact.sessionId]
          : [],
      );
      for (const id of new Set(
        ended.flatMap((sessionId) => [sessionId, parts.delegations.parentOf(sessionId) ?? []].flat()),
      ))
        this.#check(id);
    });
  }

  /** What was armed in an earlier run of the server. */
  start(): void {
    for (const id of this.#parts.delegations.waiting()) this.#check(id);
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
    const content = await digestOf(sessions, agentIds);
    // Refused when the session was told something else meanwhile: then its next end brings us back here.
    await sessions.execute({ type: "session:wake", sessionId, waitIds, content });
  }

  /** An agent that is gone altogether has ended too. */
  async #isMet({ agentIds, until }: ArmedWait): Promise<boolean> {
    const views = await Promise.all(agentIds.map((id) => this.#parts.sessions.view(id)));
    const ended = views.map((view) => view === null || isSettled(childInfo(view)));
    return until === "any" ? ended.some(Boolean) : ended.every(Boolean);
  }
}

const DIGEST_CHARS_MAX = 20_000;
const AGENT_CHARS_MAX = 2_000;
const TITLE_CHARS_MAX = 100;
const STANDING_CHARS_MIN = 100;
const ENTRIES_LOOKED_AT = 50;

/** What became of the agents a session waited for, in words for its own agent and for the user who reads along. */
async function digestOf(sessions: SessionService, agentIds: readonly SessionId[]): Promise<string> {
  // Each gets its share, so that none is left out.
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
    return [head, standing, said && shorten(said, Math.max(0, left - standing.length))].filter(Boolean).join("\n\n");
  };
  const parts = await Promise.all(agentIds.map(describe));
  const head = "Liminal Builder: the agents you waited for have finished. Use get_agent_output for their full output.";
  return [head, ...parts].join("\n\n");
}
