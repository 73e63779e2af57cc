import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { AgentDirectory } from "../bridge/answer-message.ts";
import { REFUSE, type Refusal, RefusalError } from "../protocol/errors.ts";
import type { AgentOptions } from "../sessions/agent-options.ts";
import type { AgentQuestions } from "../sessions/agent-questions.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { AgentInstalls } from "./agent-installs.ts";
import type { SignIn } from "./sign-in.ts";

interface DirectoryParts {
  readonly pool: AgentPool;
  readonly sessions: SessionService;
  readonly home: string;
  readonly signIn: SignIn;
  readonly installs: AgentInstalls;
  readonly questions: AgentQuestions;
  readonly options: AgentOptions;
  readonly changeSettings: AgentDirectory["settings"];
}

/** The agent pool as clients see it. */
export function agentDirectory({
  pool,
  sessions,
  home,
  signIn,
  installs,
  questions,
  options,
  changeSettings,
}: DirectoryParts): AgentDirectory {
  return {
    list: () => {
      installs.refresh();
      return pool.list();
    },
    install: (message) => installs.answer(message),
    authenticate: (message) => signIn.start(message),
    signOut: (cliType) => signIn.end(cliType),
    terminal: (message) => signIn.terminal(message),
    chooseTopology: async ({ cliType, process }) => {
      if (!pool.find(cliType)) return { kind: "refused", refusal: REFUSE.agentUnknown(cliType) };
      await pool.chooseTopology(cliType, process);
      return { kind: "ok" };
    },
    settings: changeSettings,
    options: (message) => {
      if (!pool.find(message.cliType))
        return Promise.resolve({ kind: "refused", refusal: REFUSE.agentUnknown(message.cliType) });
      if (message.type === "agent:choose") return options.choose(message);
      return message.type === "agent:favourite" ? options.favour(message) : options.tell(message.cliType);
    },
    respond: (response) => {
      const refusal = questions.respond(response);
      if (refusal) return { kind: "refused", refusal };
      const { elicitationId, action } = response;
      return { kind: "message", message: { type: "elicitation:resolved", elicitationId, action }, published: false };
    },
    reconnect: async ({ cliType, sessionId = null, restart = false }) => {
      const agent = pool.find(cliType);
      if (!agent) return { kind: "refused", refusal: REFUSE.agentUnknown(cliType) };
      const cwd = (sessionId && (await sessions.cwdOf(sessionId))) ?? home;
      const status = agent.status === "connected" && !restart ? "connected" : "reconnecting";
      const failed = pool.reconnect(cliType, sessionId, cwd, restart).then(() => null, asRefusal);
      // A session whose agent never started uses the process that was just requested.
      if (sessionId !== null) sessions.startAgain(sessionId);
      return { kind: "started", message: { type: "agent:status", cliType, status }, failed };
    },
  };
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof RefusalError) return error.refusal;
  throw error;
}
