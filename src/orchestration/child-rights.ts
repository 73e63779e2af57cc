import { type CliType, cliTypeOf, type SessionId } from "../protocol/ids.ts";
import { PermissionMode, type StartingPolicy } from "../protocol/permission-policy.ts";
import type { ConfigOption } from "../protocol/session-parts.ts";
import type { PolicyService } from "../sessions/policy/policy-service.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { Caller } from "./tool.ts";
import { accepted, ToolError } from "./tool-error.ts";

interface Rights {
  readonly caller: Caller;
  readonly policy: PolicyService;
}

/** A holder of the app's own token has all rights; a session cannot grant more than it has. */
export async function refusePolicy({ caller, policy }: Rights, given: StartingPolicy | undefined): Promise<void> {
  const mode = typeof given === "string" ? given : given?.mode;
  if (caller === null || mode === undefined) return;
  const own = await policy.modeOf(caller);
  const rank = (one: PermissionMode) => PermissionMode.options.indexOf(one);
  if (rank(mode) > rank(own))
    throw new ToolError(
      `policy: "${mode}" allows more than this session's own policy ("${own}"). Use "${own}" or less.`,
    );
}

interface Creation extends Rights {
  readonly sessions: SessionService;
}

/** Modes and models by the names that the agent offers. */
export async function setOption(
  context: Creation,
  sessionId: SessionId,
  category: "mode" | "model",
  value: string,
): Promise<void> {
  const { sessions } = context;
  const option = await optionOf(sessions, sessionId, category);
  const offered = option ? valuesOf(option) : [];
  if (!option || !offered.includes(value)) {
    const choices = offered.length > 0 ? `Choose one of: ${offered.join(", ")}.` : "This agent offers no choices.";
    throw new ToolError(`${category}: "${value}" is not offered. ${choices}`);
  }
  if (category === "mode" && !(await mayWorkIn(context, sessionId, value)))
    throw new ToolError(
      `mode: "${value}" may act without asking, but ${await reasonToAsk(context)}. Choose a mode that asks.`,
    );
  if (option.currentValue === value) return;
  accepted(await sessions.execute({ type: "session:configure", sessionId, configId: option.id, value }));
}

/**
 * Checks the mode an agent starts in: some start in one that edits and runs commands without asking. The most
 * restrictive
 * mode replaces one that the caller may not grant; an agent without such a mode is refused.
 */
export async function restrictStartingMode(context: Creation, sessionId: SessionId): Promise<void> {
  const { caller, policy, sessions } = context;
  if (caller === null) return;
  const own = await policy.modeToGive(caller);
  if (own === "all") return;
  const cliType = cliTypeOf(sessionId);
  const option = await optionOf(sessions, sessionId, "mode");
  if (!option) {
    if (asksWithoutModes(cliType) || cliTypeOf(caller) === cliType) return;
    throw new ToolError(`${cliType} never asks before it acts, and ${await reasonToAsk(context)}. ${OTHERWISE}`);
  }
  const current = String(option.currentValue);
  if (await mayWorkIn(context, sessionId, current)) return;
  const offered = valuesOf(option);
  const careful = mostCarefulMode(own, cliType, offered);
  if (careful === undefined)
    throw new ToolError(
      `${cliType} starts in the mode "${current}", which may act without asking, and none of its modes is known to ask ` +
        `(${offered.join(", ")}), but ${await reasonToAsk(context)}. ${OTHERWISE}`,
    );
  accepted(await sessions.execute({ type: "session:configure", sessionId, configId: option.id, value: careful }));
}

async function reasonToAsk({ caller, policy }: Creation): Promise<string> {
  const isByRule = caller !== null && (await policy.modeOf(caller)) !== (await policy.modeToGive(caller));
  return isByRule ? "this session's deny rules only work for agents that ask" : "this session must ask";
}

const OTHERWISE = "Choose another agent with list_agent_kinds, or ask the user to change this session's permissions.";

/** The caller's policy allows the mode, or the caller is of the same kind and works in the same mode. */
async function mayWorkIn({ caller, policy, sessions }: Creation, childId: SessionId, mode: string): Promise<boolean> {
  if (caller === null || maySet(await policy.modeToGive(caller), cliTypeOf(childId), mode)) return true;
  if (cliTypeOf(caller) !== cliTypeOf(childId)) return false;
  return (await optionOf(sessions, caller, "mode"))?.currentValue === mode;
}

async function optionOf(
  sessions: SessionService,
  sessionId: SessionId,
  category: "mode" | "model",
): Promise<ConfigOption | undefined> {
  const options = (await sessions.view(sessionId))?.state.config.options ?? [];
  return options.find((one) => one.type === "select" && one.category === category);
}

function valuesOf(option: ConfigOption): string[] {
  if (option.type !== "select") return [];
  return option.options.flatMap((one) => ("options" in one ? one.options.map(({ value }) => value) : [one.value]));
}

/** What an agent does in a mode without asking: only reads, nothing at all, edits, or anything. */
type ModeRights = "reads" | "asks" | "edits" | "unasked";

/**
 * The modes of tested agents, by catalog id. Unlisted modes count as `unasked`: an agent's own mode can make it
 * stop asking, and our policy would not notice. Codex runs commands in its sandbox without asking in every mode but
 * `read-only`; plan
 * mode of OpenCode and Kilo still runs commands; pi has no mode that asks.
 */
const KNOWN_MODES: Readonly<Record<string, Readonly<Record<string, ModeRights>>>> = {
  builtin: { ask: "asks", read: "reads", edits: "edits", all: "unasked" },
  "claude-code": {
    default: "asks",
    plan: "reads",
    acceptEdits: "edits",
    auto: "unasked",
    bypassPermissions: "unasked",
  },
  codex: { "read-only": "asks", "workspace-write": "unasked", agent: "unasked", "agent-full-access": "unasked" },
  gemini: { default: "asks", plan: "reads", autoEdit: "edits", auto_edit: "edits", yolo: "unasked" },
  "qwen-code": { default: "asks", plan: "reads", "auto-edit": "edits", auto: "unasked", yolo: "unasked" },
  "github-copilot-cli": {
    "https://agentclientprotocol.com/protocol/session-modes#agent": "asks",
    "https://agentclientprotocol.com/protocol/session-modes#plan": "reads",
  },
  "factory-droid": { normal: "asks", spec: "reads", "auto-low": "edits" },
  cline: { act: "asks", plan: "reads" },
  opencode: {},
  kilo: {},
  "pi-acp": {},
};

/** For untested agents: names that have the same meaning wherever they were seen. */
const USUAL_MODES: readonly { readonly name: RegExp; readonly rights: ModeRights }[] = [
  { name: /^(ask|default|manual|suggest|read[-_ ]?only)$/i, rights: "asks" },
  { name: /^(plan|read)$/i, rights: "reads" },
  { name: /^(edits?|(accept|auto|allow)[-_ ]?edits?)$/i, rights: "edits" },
];

/** Which modes a session may grant to an agent it creates, preferred one first: a mode that asks can still do the work. */
const GIVEN: Readonly<Record<PermissionMode, readonly ModeRights[]>> = {
  ask: ["asks", "reads"],
  edits: ["asks", "reads", "edits"],
  all: ["asks", "reads", "edits", "unasked"],
};

/** Whether a session with these rights may run an agent in that mode. */
export function maySet(own: PermissionMode, cliType: CliType, mode: string): boolean {
  return GIVEN[own].includes(rightsOf(cliType, mode));
}

/** The most restrictive of the offered modes; undefined if the session may grant none of them. */
function mostCarefulMode(own: PermissionMode, cliType: CliType, offered: readonly string[]): string | undefined {
  for (const rights of GIVEN[own]) {
    const found = offered.find((mode) => rightsOf(cliType, mode) === rights);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An agent without modes asks through the protocol, unless it is known not to. */
function asksWithoutModes(cliType: CliType): boolean {
  const known = KNOWN_MODES[cliType];
  return known === undefined || Object.keys(known).length > 0;
}

function rightsOf(cliType: CliType, mode: string): ModeRights {
  const known = KNOWN_MODES[cliType];
  if (known !== undefined) return known[mode] ?? "unasked";
  return USUAL_MODES.find(({ name }) => name.test(mode))?.rights ?? "unasked";
}
