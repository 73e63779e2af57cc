import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import type { AcpFailure } from "./acp-connection.ts";
import { asString } from "./read-json.ts";

const AUTH_REQUIRED = -32000;

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
  const details = detailOf(Reflect.get(error, "data"));
  return { code, message: details === undefined ? error.message : `${error.message}: ${details}` };
}

function detailOf(data: unknown): string | undefined {
  if (typeof data === "string") return data;
  if (typeof data !== "object" || data === null) return undefined;
  return asString(Reflect.get(data, "details")) ?? asString(Reflect.get(data, "message"));
}
