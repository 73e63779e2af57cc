import { cliTypeOf, type SessionId } from "../protocol/ids.ts";
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

/** Modes by the names agents give them: those that ask or only look, and those that edit files unasked. */
const CAREFUL_MODES = /^(ask|default|plan|manual|suggest|read([-_ ]?only)?)$/i;
const EDITING_MODES = /^(edits?|(accept|auto|allow)[-_ ]?edits?|workspace[-_ ]?write)$/i;

/** Whoever holds the app's own token has all its rights; a session gives away no more than it has. */
export function refusePolicy({ caller, policy }: Rights, given: StartingPolicy | undefined): void {
  const mode = typeof given === "string" ? given : given?.mode;
  if (caller === null || mode === undefined) return;
  const own = policy.modeOf(caller);
  const rank = (one: PermissionMode) => PermissionMode.options.indexOf(one);
  if (rank(mode) > rank(own))
    throw new ToolError(`policy: "${mode}" is more than this session may itself ("${own}"). Ask for "${own}" or less.`);
}

/** Modes and models by the names the agent itself offers them under. */
export async function setOption(
  context: Rights & { readonly sessions: SessionService },
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
  if (option.currentValue === value) return;
  if (category === "mode" && !mayChoose(context, sessionId, value))
    throw new ToolError(`mode: "${value}" may work unasked, and this session may not. Choose a mode that asks.`);
  accepted(await sessions.execute({ type: "session:configure", sessionId, configId: option.id, value }));
}

/** An agent's own mode can make it stop asking, which no policy of ours would notice; one that is not known is taken for such. */
function mayChoose(
  { caller, policy, sessions }: Parameters<typeof setOption>[0],
  childId: SessionId,
  mode: string,
): boolean {
  const own = caller === null ? "all" : policy.modeOf(caller);
  if (caller === null || own === "all" || CAREFUL_MODES.test(mode)) return true;
  if (own === "edits" && EDITING_MODES.test(mode)) return true;
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
