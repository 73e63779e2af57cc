import type { AgentInfo } from "../../protocol/server-messages.ts";
import type { AgentDefinition } from "../catalog/agent-definition.ts";
import { type OfferedSignIn, publicMethod } from "../sign-in/sign-in-method.ts";
import type { AgentSupervisor } from "./agent-supervisor.ts";

/** One agent as clients see it, running or not. */
export function describeAgent(
  { id, name, command, installHint, details }: AgentDefinition,
  supervisor: Pick<AgentSupervisor, "status" | "message" | "nextTryAt"> | undefined,
  seen: Pick<AgentInfo, "availability" | "process"> & { readonly signIn: readonly OfferedSignIn[] },
): AgentInfo {
  const { message, nextTryAt } = supervisor ?? {};
  return {
    id,
    name,
    status: supervisor?.status ?? "idle",
    ...seen,
    ...(message !== undefined && { message }),
    ...(nextTryAt !== undefined && { nextTryAt }),
    capabilities: {},
    signIn: seen.signIn.map(publicMethod),
    ...details,
    ...(!command && installHint && { hint: installHint }),
  };
}
