import type { AgentInfo } from "../../protocol/server-messages.ts";
import type { AgentDefinition } from "../catalog/agent-definition.ts";
import { publicMethod } from "../sign-in/sign-in-method.ts";
import type { AgentSupervisor } from "./agent-supervisor.ts";

/** One agent as clients see it, running or not. */
export function describeAgent(
  { id, name, command, installHint, details }: AgentDefinition,
  supervisor: Pick<AgentSupervisor, "status" | "message" | "nextTryAt" | "signInMethods"> | undefined,
  availability: AgentInfo["availability"],
): AgentInfo {
  const { message, nextTryAt } = supervisor ?? {};
  return {
    id,
    name,
    status: supervisor?.status ?? "idle",
    availability,
    ...(message !== undefined && { message }),
    ...(nextTryAt !== undefined && { nextTryAt }),
    capabilities: {},
    signIn: (supervisor?.signInMethods ?? []).map(publicMethod),
    ...details,
    ...(!command && installHint && { hint: installHint }),
  };
}
