import type { SessionLog } from "../ports/session-log.ts";
import { isoTime, type World } from "../ports/world.ts";
import { RefusalError } from "../protocol/errors.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import { type Answer, writeAnswer } from "./answer.ts";
import type { Session } from "./session.ts";

interface DeletionDeps {
  readonly log: SessionLog;
  readonly world: World;
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
  /** Nobody finds the session any more. */
  readonly drop: () => void;
}

/** Gone here at once, for everyone; the agent's own copy goes in its own time. */
export function deleteSession(session: Session, commandId: string | undefined, deps: DeletionDeps): Answer {
  const { log, world, publish, onError, drop } = deps;
  const message = { type: "session:deleted", sessionId: session.id } as const;
  const answer: Answer = { kind: "message", message, published: true };
  session.flush();
  log.delete(
    session.id,
    commandId === undefined ? null : { commandId, answer: writeAnswer(answer), at: isoTime(world) },
  );
  drop();
  session.end().catch((error) => {
    // That an agent is not there to be asked, or does not want to, is no fault of ours.
    if (!(error instanceof RefusalError)) onError(error);
  });
  publish(message);
  return answer;
}
