import { cliTypeOf, type SessionId } from "../protocol/ids.ts";
import { PermissionMode, type StartingPolicy } from "../protocol/permission-policy.ts";
import type { ConfigOption } from "../protocol/session-parts.ts";
import type { PolicyService } from "../sessions/policy/policy-service.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { asksWithoutModes, maySet, mostCarefulMode } from "./agent-modes.ts";
import type { Caller } from "./caller.ts";
import { accepted, ToolError } from "./tool-error.ts";

interface Rights {
  readonly caller: Caller;
  readonly policy: PolicyService;
}

/** Whoever holds the app's own token has all its rights; a session gives away no more than it has. */
export function refusePolicy({ caller, policy }: Rights, given: StartingPolicy | undefined): void {
  const mode = typeof given === "string" ? given : given?.mode;
  if (caller === null || mode === undefined) return;
  const own = policy.modeOf(caller);
  const rank = (one: PermissionMode) => PermissionMode.options.indexOf(one);
  if (rank(mode) > rank(own))
    throw new ToolError(`policy: "${mode}" is more than this session may itself ("${own}"). Ask for "${own}" or less.`);
}

interface Creation extends Rights {
  readonly sessions: SessionService;
}

/** Modes and models by the names the agent itself offers them under. */
export async function setOption(
  context: Creation,
  sessionId: SessionId,
  category: "mode" | "model",
  value: string,
): Promise<void> {
  const { sessions } = context;
  const option = optionOf(sessions, sessionId, category);
  const offered = option ? valuesOf(option) : [];
  if (!option || !offered.includes(value)) {
    const choices = offered.length > 0 ? `Choose one of: ${offered.join(", ")}.` : "This agent offers no choice there.";
    throw new ToolError(`${category}: "${value}" is not offered. ${choices}`);
  }
  if (category === "mode" && !mayWorkIn(context, sessionId, value))
    throw new ToolError(`mode: "${value}" may work unasked, and ${reasonToAsk(context)}. Choose a mode that asks.`);
  if (option.currentValue === value) return;
  accepted(await sessions.execute({ type: "session:configure", sessionId, configId: option.id, value }));
}

/**
 * Judges the mode an agent starts in by itself: several kinds start in one that edits and runs commands unasked. The most careful
 * mode replaces one that the caller may not give; an agent that offers no such mode is refused.
 */
export async function restrictStartingMode(context: Creation, sessionId: SessionId): Promise<void> {
  const { caller, policy, sessions } = context;
  if (caller === null) return;
  const own = policy.modeToGive(caller);
  if (own === "all") return;
  const cliType = cliTypeOf(sessionId);
  const option = optionOf(sessions, sessionId, "mode");
  if (!option) {
    if (asksWithoutModes(cliType) || cliTypeOf(caller) === cliType) return;
    throw new ToolError(`${cliType} never asks before it acts, and ${reasonToAsk(context)}. ${OTHERWISE}`);
  }
  const current = String(option.currentValue);
  if (mayWorkIn(context, sessionId, current)) return;
  const offered = valuesOf(option);
  const careful = mostCarefulMode(own, cliType, offered);
  if (careful === undefined)
    throw new ToolError(
      `${cliType} starts in the mode "${current}", which may work unasked, and none of its modes is known to ask ` +
        `(${offered.join(", ")}), and ${reasonToAsk(context)}. ${OTHERWISE}`,
    );
  accepted(await sessions.execute({ type: "session:configure", sessionId, configId: option.id, value: careful }));
}

function reasonToAsk({ caller, policy }: Creation): string {
  const isByRule = caller !== null && policy.modeOf(caller) !== policy.modeToGive(caller);
  return isByRule ? "what the rules of this session deny is denied only to agents that ask" : "this session must ask";
}

const OTHERWISE = "Choose another agent with list_agent_kinds, or have the user change what this session may do.";

/** The caller's policy allows the mode, or the caller is of the same kind and works in that very mode. */
function mayWorkIn({ caller, policy, sessions }: Creation, childId: SessionId, mode: string): boolean {
  if (caller === null || maySet(policy.modeToGive(caller), cliTypeOf(childId), mode)) return true;
  return cliTypeOf(caller) === cliTypeOf(childId) && optionOf(sessions, caller, "mode")?.currentValue === mode;
}

function optionOf(
  sessions: SessionService,
  sessionId: SessionId,
  category: "mode" | "model",
): ConfigOption | undefined {
  const options = sessions.view(sessionId)?.state.config.options ?? [];
  return options.find((one) => one.type === "select" && one.category === category);
}

function valuesOf(option: ConfigOption): string[] {
  if (option.type !== "select") return [];
  return option.options.flatMap((one) => ("options" in one ? one.options.map(({ value }) => value) : [one.value]));
}
