import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { Program, SessionId } from "../protocol/ids.ts";
import { PersonId } from "../protocol/person-ref.ts";
import type { OrchestrationParts } from "./children.ts";
import { type Caller, programNamed, programOnDevice } from "./tool.ts";
import { TOOLS } from "./tools/catalog.ts";

/** A program without a name. */
const OUTSIDE = "outside";
/** Names a program that cannot keep the session id of `initialize`; percent-encoded. */
const CLIENT_HEADER = "Liminal-Client";
/** Returned by `initialize` and sent by clients from then on: the program's name, so that the server keeps no state. */
const SESSION_HEADER = "Mcp-Session-Id";
const SESSION_PREFIX = "name.";
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

const Named = z.looseObject({ name: z.string() });
/** A client names itself in `initialize`, or, in newer versions of the protocol, with every request. */
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

/** The caller: a session's agent, or a holder of the app's token or a device's. */
interface Visitor {
  readonly session: Caller;
  readonly deviceId: string | null;
  /** A person with limited rights. */
  readonly personId?: PersonId;
}

interface EndpointOptions {
  readonly parts: OrchestrationParts;
  readonly version: string;
  /** A program has called; null for one without a name. */
  readonly onProgram: (program: Program | null) => void;
}

/**
 * MCP over streamable HTTP. No state is kept between requests, so callers continue after a server restart.
 * The caller was already authenticated.
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
      const person = authInfo?.extra?.["personId"] === undefined ? null : PersonId.parse(authInfo.extra["personId"]);
      for (const offer of TOOLS) offer(server, parts, owner, person);
      return server;
    },
    { maxRequestBodySize: BODY_BYTES_MAX },
  );
  return {
    serve: async (request: Request, { session, deviceId, personId }: Visitor): Promise<Response> => {
      const extra = personId === undefined ? {} : { personId };
      const serve = (owner: Caller | Program) =>
        handler.fetch(request, { authInfo: { token: "", clientId: owner ?? OUTSIDE, scopes: [], extra } });
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

/** `introduced`: the name that the program has just sent, for its later requests. */
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

/** Undefined for a body that is not JSON or too large: the MCP library answers it. */
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
