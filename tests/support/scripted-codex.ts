import { join } from "node:path";
import { chunk, scriptedAgent } from "../integration/scripted-agent.ts";
import { HeldConversation } from "./held-conversation.ts";
import type { AgentSetting, TestServer } from "./test-server.ts";

export const CODEX_THREAD = "01a1ed55-772e-7691-ab53-92820cad3671";

const END = { end: "end_turn" };
const scripted = scriptedAgent({
  answers: { "session/new": { sessionId: CODEX_THREAD } },
  scripts: {
    "Say one": [chunk("The first answer."), END],
    "Say two": [chunk("The second answer."), END],
    Begin: [chunk("Begun.")],
  },
});

/** A scripted agent with one conversation, whose lock other programs can take. */
export const CODEX_AGENT: AgentSetting = { ...scripted, name: "Codex" };

const { command, args = [] } = scripted;
/** The environment that makes "Codex" this agent. */
export const SCRIPTED_CODEX = { CODEX_ACP_CMD: [command, ...args].map((word) => `'${word}'`).join(" ") };

/** The command line of the server that `codex` in a terminal starts for all terminals. */
export const CODEX_BACKGROUND = ["app-server", "--listen", "unix://", "--managed-daemon"];

/** Another program has the conversation open: `codex` in a terminal, with these words after its name. */
export function holdCodexThread(server: TestServer, words: readonly string[] = []): Promise<HeldConversation> {
  return HeldConversation.start(join(server.home, ".codex/thread-writer-locks", `${CODEX_THREAD}.lock`), {}, words);
}
