import { expect } from "bun:test";
import { type Plan, startModelServer } from "../agents/model-server/model-server.ts";
import { AgentDriver } from "../builtin-agent/agent-driver.ts";
import { temporaryDirectory } from "../builtin-agent/temporary-directory.ts";
import { modelEnv } from "./model-env.ts";

/** How a turn ends whose answer counts no tokens: a command. */
export const ENDED_UNASKED = { stopReason: "end_turn" };
/** How a turn ends that has come to its end, with the tokens that the model took. */
export const ENDED = { stopReason: "end_turn", usage: expect.objectContaining({ totalTokens: expect.any(Number) }) };
/** A client that knows the updates that are optional. */
export const ALL_KNOWN = { session: { notices: {}, compaction: {} } };

/** The agent as a real process with a scripted model on loopback behind it. */
export async function withModel(
  use: (scene: {
    agent: AgentDriver;
    model: ReturnType<typeof startModelServer>;
    restart: () => AgentDriver;
  }) => Promise<void>,
  options: { kind?: "openai" | "anthropic"; env?: Record<string, string>; plan?: Plan } = {},
): Promise<void> {
  using directory = temporaryDirectory();
  await using model = startModelServer(options.plan);
  const env = { ...modelEnv(model, options.kind), ...options.env };
  const start = () => new AgentDriver({ directory: directory.path, env });
  await using agent = start();
  await use({ agent, model, restart: start });
}

/** The lines of its own that it has put into the transcript. */
export function notices(agent: AgentDriver): string[] {
  return agent.updates().flatMap((update) => (update["sessionUpdate"] === "notice" ? [String(update["title"])] : []));
}
