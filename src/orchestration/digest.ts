import type { SessionId } from "../protocol/ids.ts";
import { cutAt } from "../protocol/shown-text.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { lastMessage, shorten } from "./agent-output.ts";
import { childInfo } from "./child-info.ts";

const DIGEST_CHARS_MAX = 20_000;
const AGENT_CHARS_MAX = 2_000;
const TITLE_CHARS_MAX = 100;
const STANDING_CHARS_MIN = 100;
const ENTRIES_LOOKED_AT = 50;

/** What became of the agents a session waited for, in words for its own agent and for the user who reads along. */
export function digestOf(sessions: SessionService, agentIds: readonly SessionId[]): string {
  // Each gets its share, so that none is left out.
  const charsMax = Math.min(AGENT_CHARS_MAX, Math.floor(DIGEST_CHARS_MAX / Math.max(1, agentIds.length)));
  const parts = agentIds.map((id) => {
    const view = sessions.view(id);
    if (!view) return `## ${id}\nIt was deleted.`;
    const { title, status, outcome, why } = childInfo(view);
    const start = sessions.open(id, undefined, ENTRIES_LOOKED_AT);
    const said = start?.type === "session:history" ? lastMessage(start.entries) : "";
    const head = `## ${title.slice(0, TITLE_CHARS_MAX)} (${id})`;
    const left = Math.max(STANDING_CHARS_MIN, charsMax - head.length);
    const whole = `${status}: ${outcome}${why === undefined ? "" : `. ${why}`}`;
    const standing = whole.length <= left ? whole : `${cutAt(whole, left)} [CUT: get_agent_info has all of it]`;
    return [head, standing, said && shorten(said, Math.max(0, left - standing.length))].filter(Boolean).join("\n\n");
  });
  const head = "Liminal Builder: the agents you waited for have ended their work. get_agent_output has the rest.";
  return [head, ...parts].join("\n\n");
}
