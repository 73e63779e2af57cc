import { countLines } from "../../lib/visible-text.ts";
import { toolLine } from "../../presentation/tool-line.ts";
import { commandOf } from "../../protocol/command-of.ts";
import type { InboxItem, RunningTool } from "../../protocol/inbox.ts";
import { pauseWords } from "../../protocol/limit-words.ts";
import { isPermission, type PendingRequest } from "../../protocol/pending-request.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { sessionMark } from "./session-mark.ts";

/** What a session is doing now, and its exact target separately. */
export interface Activity {
  readonly words: string;
  readonly target: string;
}

interface ActivityFacts {
  readonly item: InboxItem | undefined;
  /** Its working directory: paths inside are shown relative to it. */
  readonly directory: string;
  /** The last line of its last answer. */
  readonly result?: string | undefined;
}

export function sessionActivity(session: SessionRow, { item, directory, result }: ActivityFacts): Activity {
  const mark = sessionMark(session);
  switch (mark) {
    case "working":
      return item?.tool ? toolActivity(item.tool, directory) : plain("Responding");
    case "stalled":
      return plain("No output for a while");
    case "waiting":
      return requestActivity(item?.pending[0]);
    case "failed":
      return plain(startError(session) ?? session.turn.error?.message ?? "Stopped before it finished");
    case "paused":
      return plain("Waiting for its agents");
    case "limited":
      return plain(session.pause === null ? "At a usage limit" : pauseWords(session.pause, Date.now()));
    case "unread":
      return plain(result ?? "Finished, unread");
    case "none":
      return plain(result ?? "Finished");
    default:
      return mark satisfies never;
  }
}

function startError({ start }: SessionRow): string | undefined {
  return start?.state === "failed" ? start.error.message : undefined;
}

function plain(words: string): Activity {
  return { words, target: "" };
}

function toolActivity(tool: RunningTool, directory: string): Activity {
  const { name, target } = toolLine(tool, directory);
  return { words: name, target };
}

function requestActivity(request: PendingRequest | undefined): Activity {
  if (request === undefined) return plain("Waiting for you");
  if (!isPermission(request)) return plain(`Question: ${request.title ?? request.message}`);
  const { name, target } = toolLine(request.toolCall);
  const lines = countLines(commandOf(request.toolCall.input) ?? request.toolCall.name);
  return { words: `Permission: ${name}${lines > 1 ? `, ${lines} lines` : ""}`, target };
}
