import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import type { AcpFailure } from "./connection/acp-hooks.ts";
import { failureMessage } from "./connection/failure-message.ts";

const AUTH_REQUIRED = -32000;

/** A request that the agent answered with an error. */
export class AgentFailureError extends RefusalError {
  readonly failure: AcpFailure;

  constructor(failure: AcpFailure, refusal: Refusal) {
    super(refusal);
    this.failure = failure;
  }
}

/** An agent's JSON-RPC error in words a user can act on. */
export function refusalOf(failure: AcpFailure, agentName: string, signInMethods: readonly string[]): Refusal {
  if (failure.code === AUTH_REQUIRED) return REFUSE.agentAuthRequired(agentName, signInMethods);
  return REFUSE.agentProtocol(failure.message);
}

/** The SDK rejects with errors that carry the agent's code; anything else means the connection is gone. */
export function asFailure(error: unknown): AcpFailure | null {
  if (!(error instanceof Error)) return null;
  const code: unknown = Reflect.get(error, "code");
  if (typeof code !== "number") return null;
  return { code, message: failureMessage(error.message, Reflect.get(error, "data")) };
}
