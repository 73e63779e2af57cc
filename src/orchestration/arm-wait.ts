import type { ArmedWait } from "../protocol/delegation.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { Caller, ToolContext } from "./tool.ts";
import { accepted, ToolError } from "./tool-error.ts";

/** Said before anything else is done: a call that cannot be done whole does nothing. */
export function refuseWake(caller: Caller, wake: boolean | undefined): void {
  if (wake && caller === null)
    throw new ToolError("wake: only a session can be woken. Leave wake out, and wait instead.");
}

/** From now on the session is woken when these agents have ended their work, unless it hears of that before. */
export async function armWait(
  { caller, sessions, newId, commandId }: ToolContext,
  agentIds: readonly SessionId[],
  until: ArmedWait["until"],
): Promise<string> {
  if (caller === null) throw new ToolError("Only a session can be woken.");
  const id = commandId("wait");
  const waitId = id ?? newId();
  const wait = { waitId, agentIds: [...agentIds], until };
  accepted(
    await sessions.execute({
      type: "session:wait",
      sessionId: caller,
      wait,
      ...(id !== undefined && { commandId: id }),
    }),
  );
  return waitId;
}
