import { z } from "zod";
import { ignore } from "../lib/ignore.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { SessionId } from "../protocol/ids.ts";
import { SOCKET_PROTOCOL, TICKET_PARAMETER } from "../protocol/page-key.ts";
import type { ExportService } from "../sessions/transfer/export/export-service.ts";
import type { FileImport } from "../sessions/transfer/file-import.ts";
import { type AccessControl, bearerOf, type Caller } from "./access-control.ts";
import { backupRoute, type DataDoor, deleteRoute, exportAllRoute } from "./data-routes.ts";
import { deviceRoute, pairRoute, type Reach, signInByAddress } from "./device-routes.ts";
import type { PageFiles } from "./page-files.ts";
import { json, plainText, shortBody, signInPage, tooManyTries } from "./plain-pages.ts";
import { type ConnectionDeps, SocketConnection } from "./socket-connection.ts";
import { exportRoute, importRoute } from "./transfer-routes.ts";

/** Larger than the limit on one message, so that a too large one still gets its error before the line is cut. */
const SOCKET_PAYLOAD_BYTES_MAX = 32 * 1024 * 1024;
const SOCKET_BUFFER_BYTES_MAX = 16 * 1024 * 1024;
const SOCKET_IDLE_S = 120;
/** Whoever reads a body has a limit of its own and words for it; what nobody reads is held back on the wire. */
const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  /** Known only once the port is: `access` is asked for with the port that was taken. */
  readonly access: (port: number) => AccessControl;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly reach: (port: number) => Reach;
  readonly pages: PageFiles;
  readonly connection: ConnectionDeps;
  readonly status: () => object;
  /** The same in the text format of Prometheus. */
  readonly metrics: () => string;
  readonly crashes: CrashDoor;
  /** The wire trace of a session's agent as text, one JSON object per line; null for a session nobody knows. */
  readonly trace: (sessionId: string) => Promise<string | null>;
  readonly exports: ExportService;
  readonly fileImport: FileImport;
  readonly data: DataDoor;
  readonly mcp: McpDoor;
  readonly isReady: () => boolean;
}

/** What clients take and do not take, since the start. */
export interface Traffic {
  readonly socketsOpen: number;
  readonly socketsOpened: number;
  readonly socketsSlow: number;
  readonly socketsDropped: number;
}

/** Reports of runs that ended unexpectedly, by name. */
interface CrashDoor {
  read(name: string): string | null;
  delete(name: string): boolean;
}

const TICKET_PATH_CHARS_MAX = 512;
const TicketRequest = z.strictObject({ path: z.string().startsWith("/api/").max(TICKET_PATH_CHARS_MAX) });

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface SocketData {
  connection: SocketConnection | null;
  /** The signed-in browser; null for a program that holds the token. */
  readonly device: string | null;
  left: () => void;
}

/** HTTP and the socket. Every request passes the same guard: whose page, then who, then what. */
export class HttpServer {
  readonly #server: Bun.Server<SocketData>;
  readonly #options: HttpServerOptions;
  readonly #access: AccessControl;
  readonly #reach: Reach;
  readonly port: number;
  #traffic: Traffic = { socketsOpen: 0, socketsOpened: 0, socketsSlow: 0, socketsDropped: 0 };

  /** Throws when the port is taken. */
  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#server = Bun.serve<SocketData>({
      hostname: options.host,
      port: options.port,
      // Outside of development Bun would let any number of servers have the port, and hand each a part of the requests.
      reusePort: false,
      ...(options.tls && { tls: options.tls }),
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
          const { device } = socket.data;
          if (device !== null) socket.data.left = this.#access.devices.connected(device, () => socket.terminate());
          // Full (-1) and gone (0) both mean: stop; a client that is gone comes back and reads on from its cursor.
          socket.data.connection = new SocketConnection(options.connection, {
            send: (frame) => this.#sent(socket.send(frame)),
          });
          this.#count("socketsOpen", 1);
          this.#count("socketsOpened", 1);
        },
        message: (socket, data) => socket.data.connection?.receive(data),
        drain: (socket) => socket.data.connection?.drained(),
        close: (socket) => {
          socket.data.left();
          this.#count("socketsOpen", -1);
          if (socket.getBufferedAmount() > 0) this.#count("socketsDropped", 1);
          socket.data.connection?.[Symbol.dispose]();
        },
      },
    });
    this.port = this.#server.port ?? options.port;
    this.#access = options.access(this.port);
    this.#reach = options.reach(this.port);
  }

  get traffic(): Traffic {
    return this.#traffic;
  }

  #count(what: keyof Traffic, by: number): void {
    this.#traffic = { ...this.#traffic, [what]: this.#traffic[what] + by };
  }

  #sent(result: number): boolean {
    if (result < 0) this.#count("socketsSlow", 1);
    return result > 0;
  }

  /** Shown on GET, deleted on POST. */
  #crash(request: Request, url: URL): Response | Promise<Response> {
    const { crashes } = this.#options;
    const name = url.searchParams.get("name") ?? "";
    const gone = () => json(404, { error: "Report not found." });
    if (request.method === "POST")
      return this.#post(request, url, async () => (crashes.delete(name) ? json(200, { deleted: name }) : gone()));
    return this.#api(request, url, () => {
      const text = crashes.read(name);
      return text === null ? gone() : plainText(200, text);
    });
  }

  /** No request or socket is served after this. */
  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  #fetch(request: Request): Response | Promise<Response> | undefined {
    if (this.#access.isForeign(request)) return plainText(403, "This server only accepts requests from its own pages.");
    const url = new URL(request.url);
    if (isAskedByAnotherPage(request, url))
      return plainText(403, "This server only accepts requests from its own pages.");
    if (url.pathname.startsWith("/assets/")) return this.#get(request, () => this.#asset(request, url));
    switch (url.pathname) {
      case "/healthz":
        return this.#get(request, () => this.#health());
      case "/":
        return this.#get(request, () => this.#page(request, url, "shell"));
      case "/portlet":
        return this.#get(request, () => this.#page(request, url, "portlet"));
      case "/sign-in":
        return this.#get(request, signInPage);
      case "/pair":
        return pairRoute(this.#access, request, url, this.#addressOf(request));
      case "/ws":
        return this.#socket(request, url);
      case "/mcp":
        return this.#mcp(request, url);
      case "/api/status":
        return this.#api(request, url, () => json(200, this.#options.status()));
      case "/api/metrics":
        return this.#api(request, url, () => plainText(200, this.#options.metrics(), { "Content-Type": METRICS_TYPE }));
      case "/api/crash":
        return this.#crash(request, url);
      case "/api/trace":
        return this.#api(request, url, () => this.#trace(url));
      case "/api/export":
        return this.#api(request, url, () => exportRoute(this.#options.exports, request, url));
      case "/api/export-all":
        return this.#api(request, url, () => exportAllRoute(this.#options.data, this.#options.exports, request));
      case "/api/backup":
        return this.#post(request, url, () => backupRoute(this.#options.data));
      case "/api/delete":
        return this.#post(request, url, () => deleteRoute(this.#options.data, request));
      case "/api/import":
        return this.#post(request, url, () => importRoute(this.#options.fileImport, request, url));
      case "/api/devices":
      case "/api/devices/revoke":
      case "/api/pairing":
        return this.#devices(request, url);
      case "/api/ticket":
        return this.#ticket(request, url);
      default:
        return plainText(404, "Not found.");
    }
  }

  #get(request: Request, answer: () => Response | Promise<Response>): Response | Promise<Response> {
    if (request.method === "GET" || request.method === "HEAD") return answer();
    return plainText(405, "Only GET is supported.", { Allow: "GET, HEAD" });
  }

  #api(request: Request, url: URL, answer: () => Response | Promise<Response>): Response | Promise<Response> {
    const isAllowed = this.#access.callerOf(request, url) !== null || this.#access.redeemTicket(request, url);
    return isAllowed ? this.#get(request, answer) : this.#denied(request, url);
  }

  /** `POST /api/ticket` with `{"path": …}`: an address that the page's browser can download from once. */
  #ticket(request: Request, url: URL): Response | Promise<Response> {
    const caller = this.#access.callerOf(request, url);
    return this.#post(request, url, async () => {
      if (caller?.kind !== "device") return json(400, { error: "Requests with the token need no ticket." });
      const asked = TicketRequest.safeParse(parseJson((await shortBody(request)) ?? "")).data;
      if (!asked) return json(400, { error: 'Expected {"path": "/api/…"}.' });
      const joint = asked.path.includes("?") ? "&" : "?";
      const ticket = this.#access.issueTicket(caller.id, asked.path);
      return json(201, { address: `${asked.path}${joint}${TICKET_PARAMETER}=${ticket}` });
    });
  }

  #devices(request: Request, url: URL): Response | Promise<Response> {
    const caller = this.#access.callerOf(request, url);
    // What lets others in takes more than a cookie, also a program's.
    if (!caller || (caller.kind === "device" && !caller.hasPageKey)) return this.#denied(request, url);
    const answer = deviceRoute({ access: this.#access, reach: this.#reach }, caller, request, url);
    return answer ?? plainText(405, "Not supported.", { Allow: "GET, POST" });
  }

  #post(request: Request, url: URL, answer: () => Promise<Response>): Response | Promise<Response> {
    if (!this.#access.callerOf(request, url)) return this.#denied(request, url);
    if (request.method !== "POST") return plainText(405, "Only POST is supported.", { Allow: "POST" });
    // A backup or an import takes as long as there is much of it.
    this.#server.timeout(request, 0);
    return answer();
  }

  /** A session's own token opens this door and no other. */
  async #mcp(request: Request, url: URL): Promise<Response> {
    const { mcp, isReady } = this.#options;
    const session = await mcp.sessionOf(bearerOf(request) ?? "");
    const caller = session === null ? this.#access.callerOf(request, url) : null;
    if (session === null && !caller)
      return this.#denied(request, url, "A token is required: the app's own, or that of a session that has not ended.");
    if (!isReady()) return plainText(503, "Starting or stopping.");
    // Agents wait for other agents for minutes, and nothing travels meanwhile.
    this.#server.timeout(request, 0);
    return mcp.serve(request, { session, deviceId: caller?.kind === "device" ? caller.id : null });
  }

  #denied(request: Request, url: URL, words = "A token is required."): Response {
    const waitS = this.#access.waitAfterBadToken(request, url, this.#addressOf(request));
    if (waitS > 0) return tooManyTries(waitS);
    const denied = json(401, { error: words });
    denied.headers.set("WWW-Authenticate", 'Bearer realm="liminal"');
    return denied;
  }

  #addressOf(request: Request): string {
    return this.#server.requestIP(request)?.address ?? "";
  }

  async #trace(url: URL): Promise<Response> {
    const trace = await this.#options.trace(url.searchParams.get("sessionId") ?? "");
    return trace === null ? json(404, { error: "Session not found." }) : plainText(200, trace);
  }

  #health(): Response {
    const ready = this.#options.isReady();
    return json(ready ? 200 : 503, { status: ready ? "ok" : "unavailable", version: this.#options.version });
  }

  #asset(request: Request, url: URL): Response {
    return this.#options.pages.asset(url.pathname.slice(1), request.headers.get("accept-encoding") ?? "");
  }

  #page(request: Request, url: URL, name: "shell" | "portlet"): Response {
    const signedIn = signInByAddress(this.#access, request, url);
    if (signedIn) return signedIn;
    if (this.#access.mayLoadPage(request, url)) return this.#options.pages.page(name);
    const waitS = this.#access.waitAfterBadToken(request, url, this.#addressOf(request));
    return waitS > 0 ? tooManyTries(waitS) : signInPage();
  }

  #socket(request: Request, url: URL): Response | undefined {
    const caller = this.#access.callerOf(request, url);
    if (!caller) return this.#denied(request, url);
    if (!this.#options.isReady()) return plainText(503, "Starting or stopping.");
    const offered = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
    const headers = offered.includes(SOCKET_PROTOCOL) ? { "Sec-WebSocket-Protocol": SOCKET_PROTOCOL } : {};
    const upgraded = this.#server.upgrade(request, { data: socketData(caller), headers });
    return upgraded
      ? undefined
      : plainText(426, "This address only accepts WebSocket connections.", { Upgrade: "websocket" });
  }

  #fault(error: unknown): Response {
    this.#options.connection.onError(error);
    return plainText(500, "Unexpected server error.");
  }
}

function socketData(caller: Caller): SocketData {
  const device = caller.kind === "device" ? caller.id : null;
  return { connection: null, device, left: ignore("no caller waits for a program to disconnect") };
}

/** The tools for agents, as far as HTTP must know them. */
export interface McpDoor {
  /** Whose token it is; null when it is no session's, or the session has ended. */
  sessionOf(token: string): Promise<SessionId | null>;
  /** In a session's name, or for a program outside, which holds the app's own token or comes from a paired device. */
  serve(
    request: Request,
    visitor: { readonly session: SessionId | null; readonly deviceId: string | null },
  ): Promise<Response>;
}

/** Places that only programs and our own pages ask for; nobody is led to them by a link. */
const NO_PAGE = /^\/(?:api\/|ws$|mcp$|portlet$)/;
const OWN_SITES: readonly (string | null)[] = [null, "same-origin", "none"];

/**
 * Whether another page makes the browser ask. A browser says so itself in `Sec-Fetch-Site`, also where it sends no
 * Origin: images, scripts and plain fetches of a page on another port of this machine, which gets our cookie sent along.
 * Such a page may lead the user here, as any link does, and nothing else.
 */
function isAskedByAnotherPage(request: Request, url: URL): boolean {
  if (OWN_SITES.includes(request.headers.get("sec-fetch-site"))) return false;
  // A browser says all three or none; without the other two it is a program, which shows a token or is turned away.
  const isVisit =
    request.method === "GET" &&
    (request.headers.get("sec-fetch-mode") ?? "navigate") === "navigate" &&
    (request.headers.get("sec-fetch-dest") ?? "document") === "document";
  return !isVisit || NO_PAGE.test(url.pathname);
}
