import { join, resolve } from "node:path";

/** A real agent, exactly as tested: its npm package, and the module in it that speaks ACP on stdio. */
export type AgentPackage = {
  readonly name: "claude" | "codex" | "opencode";
  readonly spec: string;
  readonly entry: string;
  /** Few tests need it: it is installed for a full run only. */
  readonly isExtra?: true;
};

/** Selects the folder with the agents. */
export const CACHE_VARIABLE = "LIMINAL_AGENT_CACHE";

/** Pinned: a newer version may behave differently, and then a test has to show that first. */
export const AGENT_PACKAGES: readonly AgentPackage[] = [
  packageOf("claude", "@agentclientprotocol/claude-agent-acp", "0.99.0"),
  packageOf("codex", "@agentclientprotocol/codex-acp", "2.6.0"),
  {
    name: "opencode",
    spec: "opencode-ai@1.18.33",
    // Its own entry is linked by a script of the package, and scripts do not run.
    entry: `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`,
    isExtra: true,
  },
];

/** Where the agents are kept between runs: outside of what Git sees, or in the folder that the variable names. */
export function agentCache(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env[CACHE_VARIABLE] || join(import.meta.dirname, "../../.cache/agents"));
}

/** The folder of one version; if it exists, it is complete. */
export function agentFolder(cache: string, agent: AgentPackage): string {
  return join(cache, agent.spec.replaceAll("/", "+"));
}

function packageOf(name: AgentPackage["name"], packageName: string, version: string): AgentPackage {
  return { name, spec: `${packageName}@${version}`, entry: `node_modules/${packageName}/dist/index.js` };
}
