import type { IconName } from "./icon-shapes.ts";

const AGENT_ICONS: Readonly<Record<string, IconName>> = {
  builtin: "builtin",
  "claude-code": "claude",
  codex: "codex",
  gemini: "gemini",
  goose: "goose",
  opencode: "opencode",
};

/** The mark of an agent; one we do not know gets the plain one. */
export function agentIconName(cliType: string): IconName {
  return AGENT_ICONS[cliType] ?? "agent";
}
