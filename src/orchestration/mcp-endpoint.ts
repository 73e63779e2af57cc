import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { Program, SessionId } from "../protocol/ids.ts";
import type { OrchestrationParts } from "./children.ts";
import { type Caller, programNamed, programOnDevice } from "./tool.ts";
import { TOOLS } from "./tools/catalog.ts";

/** A program that did not say which. */
const OUTSIDE = "outside";
/** By which a program that cannot keep what `initialize` gave it says who it is, percent-encoded. */
const CLIENT_HEADER = "Liminal-Client";
/** Given with the answer to `initialize`, and sent along by clients from then on: the program's name, so that nothing is kept. */
const SESSION_HEADER = "Mcp-Session-Id";
const SESSION_PREFIX = "name.";
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

const Named = z.looseObject({ name: z.string() });
/** A client says who it is when it introduces itself, or, by newer versions of the protocol, with every request. */
const Introduction = z.looseObject({
  method: z.string(),
  params: z.looseObject({
    clientInfo: Named.optional(),
    _meta: z.looseObject({ [CLIENT_INFO]: Named.optional() }).optional(),
  }),
});
const BODY_BYTES_MAX = 1024 * 1024;

const INSTRUCTIONS =
  "Starts and steers other coding agents. list_agent_kinds lists the available agents with their models and modes. Create them with " +
  "create_coding_agent, wait with wait_for_agents rather than polling their status, read results with " +
  "get_agent_output. The user sees every agent live and can intervene at any time.";

/** Who stands at the door: a session's agent, or whoever holds the app's token or a device's. */
interface Visitor {
  readonly session: Caller;
  readonly deviceId: string | null;
}

interface EndpointOptions {
  readonly parts: OrchestrationParts;
  readonly version: string;
  /** A program has called; null for one that did not name itself. */
  readonly onProgram: (program: Program | null) => void;
}

/**
 * MCP over streamable HTTP. No state is kept between requests, so a server that was started again goes on where its
 * callers are. Who calls was found out before.
 */
export function mcpEndpoint({ parts, version, onProgram }: EndpointOptions) {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const server = new McpServer(
        { name: "liminal", title: "Liminal Builder", version },
        // The list of tools never changes while a server runs.
        { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
      );
      const id = authInfo?.clientId;
      const owner = id === OUTSIDE ? null : (Program.safeParse(id).data ?? SessionId.parse(id));
      for (const offer of TOOLS) offer(server, parts, owner);
      return server;
    },
    { maxRequestBodySize: BODY_BYTES_MAX },
  );
  return {
    serve: async (request: Request, { session, deviceId }: Visitor): Promise<Response> => {
      const serve = (owner: Caller | Program) =>
        handler.fetch(request, { authInfo: { token: "", clientId: owner ?? OUTSIDE, scopes: [] } });
      if (session !== null) return serve(session);
      const { program, introduced } = await programOf(request, deviceId);
      onProgram(program);
      const response = await serve(program);
      if (introduced === null) return response;
      const headers = new Headers(response.headers);
      headers.set(SESSION_HEADER, SESSION_PREFIX + Buffer.from(introduced).toString("base64url"));
      return new Response(response.body, { status: response.status, headers });
    },
    close: (): Promise<void> => handler.close(),
  };
}

/** `introduced`: the name that the program has just given, for its later requests. */
async function programOf(
  request: Request,
  deviceId: string | null,
): Promise<{ readonly program: Program | null; readonly introduced: string | null }> {
  if (deviceId !== null) return { program: programOnDevice(deviceId), introduced: null };
  const named = programInHeaders(request.headers);
  if (named) return { program: named, introduced: null };
  const said = Introduction.safeParse(await bodyOf(request)).data;
  const name = said?.params.clientInfo?.name ?? said?.params._meta?.[CLIENT_INFO]?.name;
  return { program: programNamed(name), introduced: said?.method === "initialize" ? (name ?? null) : null };
}

function programInHeaders(headers: Headers): Program | null {
  const given = headers.get(CLIENT_HEADER);
  if (given !== null) return programNamed(decoded(given));
  const session = headers.get(SESSION_HEADER) ?? "";
  if (!session.startsWith(SESSION_PREFIX)) return null;
  return programNamed(Buffer.from(session.slice(SESSION_PREFIX.length), "base64url").toString());
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Undefined for what is no JSON or too large: the protocol's library answers it. */
async function bodyOf(request: Request): Promise<unknown> {
  if (request.method !== "POST" || Number(request.headers.get("content-length") ?? 0) > BODY_BYTES_MAX)
    return undefined;
  try {
    return await request.clone().json();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
