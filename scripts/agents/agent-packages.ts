import { join, resolve } from "node:path";

/** A real agent, exactly as tested: its npm package, and the module in it that speaks ACP on stdio. */
export type AgentPackage = {
  readonly name: "claude" | "codex";
  readonly spec: string;
  readonly entry: string;
};

/** Says where the agents are kept. */
export const CACHE_VARIABLE = "LIMINAL_AGENT_CACHE";

/** Pinned: a newer version may behave differently, and then a test has to say so first. */
export const AGENT_PACKAGES: readonly AgentPackage[] = [
  packageOf("claude", "@agentclientprotocol/claude-agent-acp", "0.99.0"),
  packageOf("codex", "@agentclientprotocol/codex-acp", "2.6.0"),
];

/** Where the agents are kept between runs: outside of what git sees, and wherever the variable says. */
export function agentCache(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env[CACHE_VARIABLE] || join(import.meta.dirname, "../../.cache/agents"));
}

/** The folder of one version; its presence means that it is whole. */
export function agentFolder(cache: string, agent: AgentPackage): string {
  return join(cache, agent.spec.replaceAll("/", "+"));
}

function packageOf(name: AgentPackage["name"], packageName: string, version: string): AgentPackage {
  return { name, spec: `${packageName}@${version}`, entry: `node_modules/${packageName}/dist/index.js` };
}
