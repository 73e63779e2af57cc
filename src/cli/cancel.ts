import type { SessionHistory } from "../protocol/session-messages.ts";
import { isTurnActive } from "../protocol/session-schema.ts";
import type { CommandLine } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { print } from "./print.ts";
import { connect } from "./server-link.ts";

export async function cancel(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env, "fail");
  const sessionId = await findSession(link, line.args[0] ?? "");
  const found = await link.ask("session:history", { type: "session:open", sessionId, limit: 1 });
  // Also if nothing runs: a turn may have started since.
  await link.act({ type: "session:cancel", sessionId });
  const status = isAtRest(found) ? "idle" : "cancelling";
  print(line, { sessionId, status }, wordsFor(found));
  return EXIT.done;
}

function wordsFor(found: SessionHistory): string {
  if (isTurnActive(found.turn)) return "Stopping the turn.";
  return isAtRest(found)
    ? "No turn is running in this session."
    : "No turn is running in this session. It no longer waits for other agents.";
}

/** Without a turn, a question may be open, a message may be queued, or the session may have a pending wake. */
function isAtRest({ turn, pending, visits = [], waits = [], queue, queuePaused }: SessionHistory): boolean {
  const next = queuePaused ? [] : queue;
  return !isTurnActive(turn) && [pending, visits, waits, next].every(({ length }) => length === 0);
}
