import { type CliType, cliTypeOf } from "../../protocol/ids.ts";
import type { Session } from "../session.ts";

/** Turns that failed because the user had not signed in are tried again by themselves. */
export async function retrySignedOut(sessions: Iterable<Session>, cliType: CliType): Promise<void> {
  const waiting = [...sessions].filter(({ id, state: { turn } }) => {
    const isRefused = turn.state === "idle" && turn.error?.code === "AGENT_AUTH_REQUIRED";
    return isRefused && cliTypeOf(id) === cliType;
  });
  await Promise.all(waiting.map((session) => session.dispatch({ type: "session:retry", sessionId: session.id })));
}
