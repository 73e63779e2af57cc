import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import { RpcError } from "./connection/acp-connection.ts";
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

/** Null for an error that is not the agent's answer: the connection is gone. */
export function asFailure(error: unknown): AcpFailure | null {
  if (!(error instanceof RpcError)) return null;
  return { code: error.code, message: failureMessage(error.message, error.data) };
}
