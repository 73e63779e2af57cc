import type { SessionId } from "../protocol/ids.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { lastMessage, shorten } from "./agent-output.ts";
import { childInfo } from "./child-info.ts";

const DIGEST_CHARS_MAX = 20_000;
const AGENT_CHARS_MAX = 2_000;
const ENTRIES_LOOKED_AT = 50;

/** What became of the agents a session waited for, in words for its own agent and for the user who reads along. */
export function digestOf(sessions: SessionService, agentIds: readonly SessionId[]): string {
  const parts = agentIds.map((id) => {
    const view = sessions.view(id);
    if (!view) return `## ${id}\nIt was deleted.`;
    const { title, status, outcome, why } = childInfo(view);
    const start = sessions.open(id, undefined, ENTRIES_LOOKED_AT);
    const said = start?.type === "session:history" ? shorten(lastMessage(start.entries), AGENT_CHARS_MAX) : "";
    return [`## ${title} (${id})`, `${status}: ${outcome}${why === undefined ? "" : `. ${why}`}`, said]
      .filter(Boolean)
      .join("\n\n");
  });
  const head = "Liminal Builder: the agents you waited for have ended their work. get_agent_output has the rest.";
  return [head, ...parts].join("\n\n").slice(0, DIGEST_CHARS_MAX);
}
