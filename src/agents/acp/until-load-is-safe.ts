import type { AgentSink } from "../../ports/agents.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";

const MINUTE_MS = 60_000;

interface LoadWait {
  /** As the user knows it, and as the agent calls itself. */
  readonly name: string;
  readonly agentName: string;
  readonly createdAt: number;
  readonly now: number;
  readonly signal: AbortSignal;
  readonly sink: AgentSink;
}

/**
 * Gemini names a session's file by the clock minute and empties it when it is loaded within that minute. The wait is
 * told, and ends with a refusal when nobody waits any more.
 */
export async function untilLoadIsSafe({ name, agentName, createdAt, now, signal, sink }: LoadWait): Promise<void> {
  if (!agentName.includes("gemini")) return;
  const waitMs = Math.floor(createdAt / MINUTE_MS + 1) * MINUTE_MS - now;
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  const content = `${name} would lose this conversation if it were loaded in the minute in which it was made, so your message waits for ${seconds} s. Cancel to stop waiting.`;
  sink({ type: "notice", severity: "info", content });
  if (!(await passes(waitMs, signal)))
    throw new RefusalError(REFUSE.agentProtocol(`Waiting for ${name} was given up.`));
}

/** False when the signal came first. */
function passes(waitMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isPast: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      resolve(isPast);
    };
    const giveUp = () => finish(false);
    const timer = setTimeout(finish, waitMs, true);
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
  });
}
