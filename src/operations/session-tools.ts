import { type SessionTools as OfferedTools, ownToolServer } from "../agents/acp/mcp-servers.ts";
import type { SessionTokens } from "../orchestration/session-tokens.ts";
import type { Places } from "../places/places.ts";
import type { ServeTools } from "../places/tool-calls.ts";
import type { ProjectId, SessionId } from "../protocol/ids.ts";
import { splitPlace } from "../protocol/place-path.ts";
import { type ConfiguredToolServer, toolServerNow, toolServersAt } from "./config-file.ts";
import { OWN_ENVIRONMENT, ownCommand } from "./own-program.ts";

interface SessionToolsParts {
  readonly servers: () => readonly ConfiguredToolServer[];
  readonly enabledIn: (projectId: ProjectId) => Promise<ReadonlySet<string>>;
  /** Our own tools are offered. */
  readonly isOffered: boolean;
  readonly tokens: SessionTokens;
  /** The address of this server, once it listens. */
  readonly origin: Promise<string>;
  readonly dataDir: string;
  readonly places: Pick<Places, "toolRelay">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Answers a request to our tools on behalf of a session. */
  readonly answer: (request: Request, session: SessionId) => Promise<Response>;
  readonly isReady: () => boolean;
  readonly warn: (text: string) => void;
}

interface ToolsOfSession {
  readonly sessionId: SessionId;
  readonly projectId: ProjectId;
  readonly cwd: string;
}

/** The tool servers of sessions: the user's, and our own, here and at places. */
export class SessionTools {
  readonly #parts: SessionToolsParts;

  constructor(parts: SessionToolsParts) {
    this.#parts = parts;
  }

  async of({ sessionId, projectId, cwd }: ToolsOfSession): Promise<OfferedTools> {
    const { servers, enabledIn, isOffered, env, warn } = this.#parts;
    const enabled = await enabledIn(projectId);
    const mcpServers = toolServersAt(servers(), cwd).flatMap((server) => {
      const found = enabled.has(server.name) ? toolServerNow(server, env) : [];
      if (typeof found !== "string") return found;
      warn(`The tool server ${server.name} was left out of a session. ${found}`);
      return [];
    });
    return { mcpServers, ownTools: isOffered ? await this.#own(sessionId, cwd) : null };
  }

  async #own(sessionId: SessionId, cwd: string): Promise<OfferedTools["ownTools"]> {
    const { tokens, origin, dataDir, places } = this.#parts;
    const token = tokens.tokenOf(sessionId);
    const at = splitPlace(cwd);
    if (at) {
      const relay = await places.toolRelay(at.place);
      return relay && ownToolServer({ origin: null, token, relay });
    }
    const relay = { command: ownCommand("liminal", "mcp"), env: { ...OWN_ENVIRONMENT, LIMINAL_DATA_DIR: dataDir } };
    return ownToolServer({ origin: await origin, token, relay });
  }

  /** A call that came through a place. It is for the session of its token: no other token is taken there. */
  readonly serve: ServeTools = async ({ token, body, signal }) => {
    const { tokens, origin, answer, isReady } = this.#parts;
    // Agents of the last run may call before everything is there.
    await origin;
    const session = await tokens.sessionOf(token);
    if (session === null) return new Response(null, { status: 401 });
    if (!isReady()) return new Response("Stopping.", { status: 503 });
    const headers = { Accept: "application/json, text/event-stream", "Content-Type": "application/json" };
    return answer(new Request("http://localhost/mcp", { method: "POST", headers, body, signal }), session);
  };
}
