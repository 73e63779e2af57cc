import type { SessionId } from "../protocol/ids.ts";
import { PermissionMode, type StartingPolicy } from "../protocol/permission-policy.ts";
import type { ConfigOption } from "../protocol/session-parts.ts";
import type { PolicyService } from "../sessions/policy/policy-service.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { Caller } from "./caller.ts";
import { accepted, ToolError } from "./tool-error.ts";

interface Rights {
  readonly caller: Caller;
  readonly policy: PolicyService;
}

/** Modes in which agents ask nobody, by the names they give them. */
const UNASKED_MODES =
  /bypass|yolo|full[-_ ]?access|auto[-_ ]?(approve|edit|accept)|accept[-_ ]?edits|dont[-_ ]?ask|danger/i;

/** Whoever holds the app's own token has all its rights; a session gives away no more than it has. */
export function refusePolicy({ caller, policy }: Rights, given: StartingPolicy | undefined): void {
  const mode = typeof given === "string" ? given : given?.mode;
  if (caller === null || mode === undefined) return;
  const own = policy.modeOf(caller);
  const rank = (one: PermissionMode) => PermissionMode.options.indexOf(one);
  if (rank(mode) > rank(own))
    throw new ToolError(`policy: "${mode}" is more than this session may itself ("${own}"). Ask for "${own}" or less.`);
}

/** An agent's own mode can make it stop asking, which no policy of ours would notice. */
export function refuseMode({ caller, policy }: Rights, mode: string): void {
  if (caller === null || !UNASKED_MODES.test(mode) || policy.modeOf(caller) === "all") return;
  throw new ToolError(`mode: "${mode}" works unasked, and this session may not. Choose a mode that asks.`);
}

/** Modes and models by the names the agent itself offers them under. */
export async function setOption(
  sessions: SessionService,
  sessionId: SessionId,
  category: "mode" | "model",
  value: string,
): Promise<void> {
  const option = sessions
    .view(sessionId)
    ?.state.config.options.find((one) => one.type === "select" && one.category === category);
  const offered = option ? valuesOf(option) : [];
  if (!option || !offered.includes(value)) {
    const choices = offered.length > 0 ? `Choose one of: ${offered.join(", ")}.` : "This agent offers no choice there.";
    throw new ToolError(`${category}: "${value}" is not offered. ${choices}`);
  }
  if (option.currentValue !== value)
    accepted(await sessions.execute({ type: "session:configure", sessionId, configId: option.id, value }));
}

function valuesOf(option: ConfigOption): string[] {
  if (option.type !== "select") return [];
  return option.options.flatMap((one) => ("options" in one ? one.options.map(({ value }) => value) : [one.value]));
}
