import { SessionId } from "../protocol/ids.ts";
import type { ExportService } from "../sessions/transfer/export/export-service.ts";
import type { FileImport } from "../sessions/transfer/file-import.ts";
import { type AccessControl, bearerOf } from "./access-control.ts";
import type { McpDoor } from "./mcp-door.ts";
import type { PageFiles } from "./page-files.ts";
import { json, plainText, signedInPage, signInPage } from "./plain-pages.ts";
import { isAskedByAnotherPage } from "./request-origin.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";
import { type ConnectionDeps, SocketConnection } from "./socket-connection.ts";
import { exportRoute, IMPORT_BYTES_MAX, importRoute } from "./transfer-routes.ts";

/** Larger than the limit on one message, so that a too large one still gets its error before the line is cut. */
const SOCKET_PAYLOAD_BYTES_MAX = 32 * 1024 * 1024;
const SOCKET_BUFFER_BYTES_MAX = 16 * 1024 * 1024;
const SOCKET_IDLE_S = 120;
/** More than the largest file, so that a larger one still gets its words. Only an import's body is ever read. */
const BODY_BYTES_MAX = 2 * IMPORT_BYTES_MAX;

interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  /** Known only once the port is: `access` is asked for with the port that was taken. */
  readonly access: (port: number) => AccessControl;
  readonly pages: PageFiles;
  readonly connection: ConnectionDeps;
  readonly status: () => object;
  /** The wire trace of a session's agent as text, one JSON object per line; null for a session nobody knows. */
  readonly trace: (sessionId: string) => string | null;
  readonly exports: ExportService;
  readonly fileImport: FileImport;
  readonly mcp: McpDoor;
  readonly isReady: () => boolean;
}

interface SocketData {
  connection: SocketConnection | null;
}

/** HTTP and the socket. Every request passes the same guard: whose page, then who, then what. */
export class HttpServer {
  readonly #server: Bun.Server<SocketData>;
  readonly #options: HttpServerOptions;
  readonly #access: AccessControl;
  readonly port: number;

  /** Throws when the port is taken. */
  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#server = Bun.serve<SocketData>({
      hostname: options.host,
      port: options.port,
      maxRequestBodySize: BODY_BYTES_MAX,
      development: false,
      fetch: (request) => this.#fetch(request),
      error: (error) => this.#fault(error),
      websocket: {
        maxPayloadLength: SOCKET_PAYLOAD_BYTES_MAX,
        backpressureLimit: SOCKET_BUFFER_BYTES_MAX,
        closeOnBackpressureLimit: true,
        idleTimeout: SOCKET_IDLE_S,
        perMessageDeflate: false,
        open: (socket) => {
          // Full (-1) and gone (0) both mean: stop; a client that is gone comes back and reads on from its cursor.
          socket.data.connection = new SocketConnection(options.connection, {
            send: (frame) => socket.send(frame) > 0,
          });
        },
        message: (socket, data) => socket.data.connection?.receive(data),
        drain: (socket) => socket.data.connection?.drained(),
        close: (socket) => socket.data.connection?.[Symbol.dispose](),
      },
    });
    this.port = this.#server.port ?? options.port;
    this.#access = options.access(this.port);
  }

  /** No request or socket is served after this. */
  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  #fetch(request: Request): Response | Promise<Response> | undefined {
    if (this.#access.isForeign(request)) return plainText(403, "This server only answers its own pages.");
    const url = new URL(request.url);
    if (isAskedByAnotherPage(request, url)) return plainText(403, "This server only answers its own pages.");
    if (url.pathname.startsWith("/assets/")) return this.#get(request, () => this.#asset(request, url));
    switch (url.pathname) {
      case "/healthz":
        return this.#get(request, () => this.#health());
      case "/":
        return this.#get(request, () => this.#page(request, url, "shell"));
      case "/portlet":
        return this.#get(request, () => this.#page(request, url, "portlet"));
      case "/ws":
        return this.#socket(request, url);
      case "/mcp":
        return this.#mcp(request, url);
      case "/api/status":
        return this.#api(request, url, () => json(200, this.#options.status()));
      case "/api/trace":
        return this.#api(request, url, () => this.#trace(url));
      case "/api/export":
        return this.#api(request, url, () => exportRoute(this.#options.exports, request, url));
      case "/api/import":
        return this.#import(request, url);
      default:
        return plainText(404, "Not found.");
    }
  }

  #get(request: Request, answer: () => Response): Response {
    if (request.method === "GET" || request.method === "HEAD") return answer();
    return plainText(405, "Only GET is answered here.", { Allow: "GET, HEAD" });
  }

  #api(request: Request, url: URL, answer: () => Response): Response {
    if (!this.#access.isAuthorized(request, url)) return json(401, { error: "A token is needed." });
    return this.#get(request, answer);
  }

  #import(request: Request, url: URL): Response | Promise<Response> {
    if (!this.#access.isAuthorized(request, url)) return json(401, { error: "A token is needed." });
    if (request.method !== "POST") return plainText(405, "Only POST is answered here.", { Allow: "POST" });
    return importRoute(this.#options.fileImport, request, url);
  }

  /** A session's own token opens this door and no other. */
  #mcp(request: Request, url: URL): Response | Promise<Response> {
    const { mcp, isReady } = this.#options;
    const session = mcp.sessionOf(bearerOf(request) ?? "");
    if (session === null && !this.#access.isAuthorized(request, url))
      return json(401, { error: "A token is needed: the app's own, or that of a session that has not ended." });
    if (!isReady()) return plainText(503, "Starting or stopping.");
    // Agents wait for other agents for minutes, and nothing travels meanwhile.
    this.#server.timeout(request, 0);
    return mcp.serve(request, session);
  }

  #trace(url: URL): Response {
    const trace = this.#options.trace(url.searchParams.get("sessionId") ?? "");
    return trace === null ? json(404, { error: "Session not found." }) : plainText(200, trace);
  }

  #health(): Response {
    const ready = this.#options.isReady();
    return json(ready ? 200 : 503, { status: ready ? "ok" : "unavailable", version: this.#options.version });
  }

  #asset(request: Request, url: URL): Response {
    return this.#options.pages.asset(url.pathname.slice(1), request.headers.get("accept-encoding") ?? "");
  }

  /** The token is taken out of the address at once, so that it stays out of histories and screenshots. */
  #page(request: Request, url: URL, name: "shell" | "portlet"): Response {
    const token = url.searchParams.get("token");
    if (token !== null && this.#access.isToken(token)) {
      const address = `${url.pathname}${linkedSession(url)}`;
      if (request.headers.get("sec-fetch-site") === "cross-site")
        return signedInPage(this.#access.newCookie(), address);
      const headers = {
        ...SECURITY_HEADERS,
        Location: address,
        "Set-Cookie": this.#access.newCookie(),
        "Cache-Control": "no-store",
      };
      return new Response(null, { status: 302, headers });
    }
    return this.#access.isAuthorized(request, url) ? this.#options.pages.page(name) : signInPage();
  }

  #socket(request: Request, url: URL): Response | undefined {
    if (!this.#access.isAuthorized(request, url)) return json(401, { error: "A token is needed." });
    if (!this.#options.isReady()) return plainText(503, "Starting or stopping.");
    const upgraded = this.#server.upgrade(request, { data: { connection: null } });
    return upgraded ? undefined : plainText(426, "This address speaks WebSocket only.", { Upgrade: "websocket" });
  }

  #fault(error: unknown): Response {
    this.#options.connection.onError(error);
    return plainText(500, "Unexpected server error.");
  }
}

/** The session that the page is to show, where the address names one; without one, the browser keeps what it has. */
function linkedSession(url: URL): string {
  const named = SessionId.safeParse(url.searchParams.get("session"));
  return named.success ? `#session=${encodeURIComponent(named.data)}` : "";
}
