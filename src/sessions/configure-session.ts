import type { AgentChoices } from "../ports/agent-choices.ts";
import type { SessionCommand } from "../protocol/client-messages.ts";
import { RefusalError } from "../protocol/errors.ts";
import { cliTypeOf } from "../protocol/ids.ts";
import type { Answer } from "./answer.ts";
import type { Session } from "./session.ts";

/** A choice is the agent's to make true: what stands afterwards is the answer. `choices` remembers it for next time. */
export async function configureSession(
  session: Session,
  command: Extract<SessionCommand, { type: "session:configure" }>,
  choices: AgentChoices | null,
): Promise<Answer> {
  const { configId, value } = command;
  try {
    await session.configure(command);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return { kind: "refused", refusal: error.refusal };
  }
  choices?.remember(cliTypeOf(session.id), configId, value);
  session.flush();
  return { kind: "config", sessionId: session.id, config: session.state.config, seq: session.state.seq };
}
