import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { ConnectionDeps } from "../bridge/socket-connection.ts";
import { Feed } from "../fanout/feed.ts";
import { lastCrash } from "../operations/crash-reports.ts";
import type { Logger } from "../operations/server-log.ts";
import { VERSION } from "../operations/version.ts";
import type { SessionId } from "../protocol/ids.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import type { AgentQuestions } from "../sessions/questions/agent-questions.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { FileSearch } from "../workspace/files/file-search.ts";
import type { ProjectService } from "../workspace/project-service.ts";
import type { ProjectTools } from "../workspace/project-tools.ts";
import { agentDirectory } from "./agent-directory.ts";
import type { AgentInstalls } from "./agent-installs.ts";
import type { createTransfers } from "./create-transfers.ts";
import type { Foundation } from "./open-foundation.ts";
import type { SignIn } from "./sign-in.ts";

interface ConnectionParts
  extends Pick<Foundation, "config" | "dataDir" | "world" | "logger" | "stores" | "hub" | "file"> {
  readonly pool: AgentPool;
  readonly installs: AgentInstalls;
  readonly questions: AgentQuestions;
  readonly signIn: SignIn;
  readonly sessions: SessionService;
  readonly projects: ProjectService;
  readonly tools: ProjectTools;
  readonly transfers: ReturnType<typeof createTransfers>;
  readonly onError: (error: unknown) => void;
}

/** What a client can see and do through its socket. */
export function connectionDeps(parts: ConnectionParts): ConnectionDeps {
  const { config, world, logger, stores, hub, sessions, projects, tools, transfers, onError } = parts;
  return {
    feed: new Feed(hub, stores.log),
    sessions,
    projects,
    tools,
    imports: transfers.imports,
    agents: agentDirectory({ ...parts, home: config.home }),
    files: new FileSearch({ world, onError }),
    publish: (message) => hub.publish(message),
    hello: () => greeting(parts),
    unwritable: () => stores.storage.refusal(),
    onShortLog: warnOfShortLogs(logger),
    onError,
  };
}

/** All that a client needs to draw at once. */
function greeting({
  projects,
  questions,
  pool,
  stores,
  dataDir,
  file,
}: ConnectionParts): ReturnType<ConnectionDeps["hello"]> {
  return {
    type: "hello",
    version: VERSION,
    protocol: PROTOCOL_VERSION,
    projects: [...projects.list()],
    questions: [...questions.list()],
    agents: [...pool.list()],
    ownProcesses: [...pool.ownProcesses()],
    storage: stores.storage.state,
    ...lastCrash(dataDir),
    startProblems: [...file.problems, ...stores.problems],
  };
}

/** Whatever clients claim, the log does not fill up with it. */
const WARNINGS_MAX = 100;

/**
 * SQLite drops the end of a write-ahead log that it cannot trust and says nothing. Pages remember how far they had come:
 * one that knows more than is stored is the only witness that something is gone, so it is told, once per session.
 */
export function warnOfShortLogs(logger: Logger): (sessionId: SessionId, known: number, stored: number) => void {
  const warned = new Set<SessionId>();
  return (sessionId, known, stored) => {
    if (warned.has(sessionId) || warned.size >= WARNINGS_MAX) return;
    warned.add(sessionId);
    logger.warn(
      `The database is older than what a page has shown of session ${sessionId} (${known} facts shown, ${stored} stored). ` +
        "Unless you have deleted it or put back an older copy, the disk has lost some of it: check the disk. What is stored goes on from here.",
    );
  };
}
