import type { ProcessTopology } from "../../protocol/server-messages.ts";

/**
 * Agents whose process is known to serve many sessions without a crash in one of them ending the others, and why.
 * Every other agent gets one process per session, so that its crash has one victim.
 */
const STEADY_AGENTS: ReadonlyMap<string, string> = new Map([
  ["builtin", "ours; the tests run many sessions in one process"],
  ["claude-code", "its adapter runs each session's work in a child process of its own"],
  ["codex", "its adapter is a thin front of the app server, which is made to serve many conversations"],
]);

/** How an agent's sessions are served where neither the user nor config.json says. */
export function defaultProcess(id: string): ProcessTopology {
  return STEADY_AGENTS.has(id) ? "shared" : "per-session";
}
