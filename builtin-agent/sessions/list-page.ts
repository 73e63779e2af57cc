import type { ListSessionsResponse, SessionInfo } from "@agentclientprotocol/sdk";
import { invalidParams } from "../wire/rpc-error.ts";
import { order } from "./session-store.ts";

/** Sessions in one answer to `session/list`. */
const LIST_PAGE_SESSIONS = 50;

/** One page of the sorted list; the cursor names the last session given, so new ones shift nothing. */
export function listPage(
  sorted: readonly SessionInfo[],
  query: { cwd: string | undefined; cursor: string | undefined },
): ListSessionsResponse {
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  const matching = sorted.filter(
    (info) => (query.cwd === undefined || info.cwd === query.cwd) && (after === undefined || order(info) < after),
  );
  const sessions = matching.slice(0, LIST_PAGE_SESSIONS);
  const last = sessions.at(-1);
  return last && matching.length > sessions.length ? { sessions, nextCursor: encodeCursor(order(last)) } : { sessions };
}

const CURSOR_PREFIX = "guide:";

function encodeCursor(position: string): string {
  return Buffer.from(CURSOR_PREFIX + position).toString("base64url");
}

function decodeCursor(cursor: string): string {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  if (!text.startsWith(CURSOR_PREFIX)) throw invalidParams("This cursor is not one of ours.");
  return text.slice(CURSOR_PREFIX.length);
}
