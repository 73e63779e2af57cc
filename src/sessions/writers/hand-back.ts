import type { Agents } from "../../ports/agents.ts";
import type { SessionWriters } from "../../ports/session-writers.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import { cliTypeOf } from "../../protocol/ids.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import type { Session } from "../session.ts";

/** Codex holds a conversation for 60 s after it was closed. */
const LET_GO_MS_MAX = 65_000;
const LOOK_AGAIN_MS = 200;

interface HandBackDeps {
  readonly agents: Pick<Agents, "find" | "rest">;
  readonly writers: SessionWriters;
  /** Stops the running turn and waits for its end. */
  readonly stopTurn: () => Promise<void>;
}

/**
 * The agent releases a conversation, so that the user's own terminal can open it: returns the command for that, or why
 * not. Its process is ended if no other session uses it; otherwise this waits until the process has released the
 * conversation.
 */
export async function handBack(
  session: Session,
  stopTurn: boolean,
  deps: HandBackDeps,
): Promise<{ readonly command: string } | Refusal> {
  const cliType = cliTypeOf(session.id);
  const name = deps.agents.find(cliType)?.name ?? String(cliType);
  const { conversation } = session;
  if (conversation === null) return REFUSE.handBackImpossible(name, "nothing was said in it yet.");
  const command = deps.writers.terminalCommand(conversation);
  if (command === null) return REFUSE.handBackImpossible(name, "it has no command that opens one by its id.");
  if (isTurnActive(session.state.turn)) {
    if (!stopTurn) return REFUSE.handBackBusy();
    await deps.stopTurn();
  }
  const busy = session.lookForWriter();
  if (busy) return busy;
  await session.release();
  for (let waitedMs = 0; deps.writers.isHeldByUs(conversation); waitedMs += LOOK_AGAIN_MS) {
    if (session.isAttached || isTurnActive(session.state.turn))
      return REFUSE.handBackImpossible(name, "a message was sent here meanwhile.");
    if (waitedMs > LET_GO_MS_MAX)
      return REFUSE.handBackImpossible(name, "its process still has it open. Try again, or stop the agent.");
    // Retried: it may be busy for a moment, with this very end.
    deps.agents.rest(cliType, session.id);
    await Bun.sleep(LOOK_AGAIN_MS);
  }
  await session.handedBack(command);
  return { command };
}
