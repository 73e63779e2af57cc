import type { CliType } from "../protocol/ids.ts";
import type { PermissionMode } from "../protocol/permission-policy.ts";

/** What an agent does in a mode without asking: nothing that changes anything, nothing at all, edits, or whatever it likes. */
type ModeRights = "reads" | "asks" | "edits" | "unasked";

/**
 * The modes of agents that were tried, by catalog id. Modes that are not listed count as `unasked`: an agent's own mode can make it
 * stop asking, and no policy of ours would notice. Codex runs commands in its sandbox unasked in every mode but `read-only`; plan
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

/** For agents that nobody tried: names that mean the same wherever they were seen. */
const USUAL_MODES: readonly { readonly name: RegExp; readonly rights: ModeRights }[] = [
  { name: /^(ask|default|manual|suggest|read[-_ ]?only)$/i, rights: "asks" },
  { name: /^(plan|read)$/i, rights: "reads" },
  { name: /^(edits?|(accept|auto|allow)[-_ ]?edits?)$/i, rights: "edits" },
];

/** Which modes a session may give to an agent it creates, the preferred one first: a mode that asks can still do the work. */
const GIVEN: Readonly<Record<PermissionMode, readonly ModeRights[]>> = {
  ask: ["asks", "reads"],
  edits: ["asks", "reads", "edits"],
  all: ["asks", "reads", "edits", "unasked"],
};

/** Whether a session that may do this much unasked may have an agent work in that mode. */
export function maySet(own: PermissionMode, cliType: CliType, mode: string): boolean {
  return GIVEN[own].includes(rightsOf(cliType, mode));
}

/** The most careful of the offered modes; undefined when the session may give none of them. */
export function mostCarefulMode(own: PermissionMode, cliType: CliType, offered: readonly string[]): string | undefined {
  for (const rights of GIVEN[own]) {
    const found = offered.find((mode) => rightsOf(cliType, mode) === rights);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An agent without modes asks as the protocol has it, unless it is known not to. */
export function asksWithoutModes(cliType: CliType): boolean {
  const known = KNOWN_MODES[cliType];
  return known === undefined || Object.keys(known).length > 0;
}

function rightsOf(cliType: CliType, mode: string): ModeRights {
  const known = KNOWN_MODES[cliType];
  if (known !== undefined) return known[mode] ?? "unasked";
  return USUAL_MODES.find(({ name }) => name.test(mode))?.rights ?? "unasked";
}
