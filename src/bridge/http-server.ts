import { z } from "zod";
import { httpDecisionOf } from "../access/decisions.ts";
import type { IncomingHooks } from "../access/incoming-hooks.ts";
import { FirstUse } from "../lib/first-use.ts";
import { ignore } from "../lib/ignore.ts";
import { parseJson } from "../lib/parse-json.ts";
import { REFUSE, type Refusal } from "../protocol/errors.ts";
import { ProjectId, SessionId } from "../protocol/ids.ts";
import { SOCKET_PROTOCOL, TICKET_PARAMETER } from "../protocol/page-key.ts";
import { OWNER_ID } from "../protocol/people.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import type { ExportService } from "../sessions/transfer/export/export-service.ts";
import type { FileImport } from "../sessions/transfer/file-import.ts";
import { type AccessControl, bearerOf, type Caller } from "./access-control.ts";
import { apiError, refused } from "./api-errors.ts";
import type { ApiCaller, ApiRoutes } from "./api-routes.ts";
import type * as DataRoutes from "./data-routes.ts";
import type { DataDoor } from "./data-routes.ts";
import { deviceRoute, pairRoute, type Reach, signInByAddress, signInRoute } from "./device-routes.ts";
import type * as HookRoute from "./hook-route.ts";
import type { PageFiles } from "./page-files.ts";
import { json, plainText, shortBody, signInPage, tooManyTries } from "./plain-pages.ts";
import type * as PushRoutes from "./push-routes.ts";
import type { PushDoor } from "./push-routes.ts";
import { serviceButton, serviceRoute } from "./service-routes.ts";
import type { ConnectionDeps, SocketConnection } from "./socket-connection.ts";
import type * as TransferRoutes from "./transfer-routes.ts";

/** What no first page needs: each is loaded with its first request, in that step (decision 149). */
const LATER = {
  socket: (): typeof import("./socket-connection.ts") => require("./socket-connection.ts"),
  programs: (): typeof import("./api-routes.ts") => require("./api-routes.ts"),
  hook: (): typeof HookRoute => require("./hook-route.ts"),
  openApi: (): typeof import("./openapi.ts") => require("./openapi.ts"),
  socketSchema: (): typeof import("../protocol/describe-protocol.ts") => require("../protocol/describe-protocol.ts"),
  transfer: (): typeof TransferRoutes => require("./transfer-routes.ts"),
  data: (): typeof DataRoutes => require("./data-routes.ts"),
  push: (): typeof PushRoutes => require("./push-routes.ts"),
};

/**
 * Larger than the limit on one message, so that a too large message still gets an error before the connection is
 * closed.
 */
const SOCKET_PAYLOAD_BYTES_MAX = 32 * 1024 * 1024;
const SOCKET_BUFFER_BYTES_MAX = 16 * 1024 * 1024;
const SOCKET_IDLE_S = 120;
/** Each route limits its own body with its own error; unread bodies are held back on the wire. */
const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  /** Called with the actual port, which is known only after listening. */
  readonly access: (port: number) => AccessControl;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly reach: (port: number) => Reach;
  readonly pages: PageFiles;
  readonly push: PushDoor;
  readonly connection: ConnectionDeps;
  readonly status: () => Promise<object>;
  /** The same in the Prometheus text format. */
  readonly metrics: () => Promise<string>;
  readonly crashes: CrashDoor;
  /** The wire trace of a session's agent as text, one JSON object per line; null for an unknown session. */
  readonly trace: (sessionId: string) => Promise<string | null>;
  readonly exports: FirstUse<ExportService>;
  readonly fileImport: FirstUse<FileImport>;
  readonly data: DataDoor;
  readonly mcp: McpDoor;
  readonly isReady: () => boolean;
  readonly hooks: IncomingHooks;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicMs: () => number;
}

/** Counters of sent and dropped data since the start. */
export interface Traffic {
  readonly socketsOpen: number;
  readonly socketsOpened: number;
  readonly socketsSlow: number;
  readonly socketsDropped: number;
}

/** Reports of unexpected exits, by name. */
interface CrashDoor {
  read(name: string): string | null;
  delete(name: string): boolean;
}

const TICKET_PATH_CHARS_MAX = 512;
const TicketRequest = z.strictObject({ path: z.string().startsWith("/api/").max(TICKET_PATH_CHARS_MAX) });

const PROGRAMS = "/api/v1/";
const HOOKS = "/hooks/";
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface SocketData {
  connection: SocketConnection | null;
  readonly caller: Caller;
  /** When it connected: it had unlimited access. */
  readonly isUnlimited: boolean;
  left: () => void;
}

/** HTTP and the socket. Every request passes the same checks: origin, then caller, then route. */
export class HttpServer {
  readonly #server: Bun.Server<SocketData>;
  readonly #options: HttpServerOptions;
  readonly #access: AccessControl;
  readonly #reach: Reach;
  readonly #routes: FirstUse<ApiRoutes>;
  readonly #sockets = new Set<Bun.ServerWebSocket<SocketData>>();
  /** Aborted when the rights of a person change, for running work on their behalf. */
  readonly #rights = new Map<PersonId, AbortController>();
  readonly port: number;
  #traffic: Traffic = { socketsOpen: 0, socketsOpened: 0, socketsSlow: 0, socketsDropped: 0 };

  /** Throws if the port is taken. */
  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#server = Bun.serve<SocketData>({
      hostname: options.host,
      port: options.port,
      // Outside of development Bun would share the port between several servers.
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
          const { caller } = socket.data;
          const cut = () => socket.terminate();
          if (caller.kind === "device") socket.data.left = this.#access.devices.connected(caller.id, cut);
          if (caller.kind === "api") socket.data.left = this.#access.apiTokens.connected(caller.id, cut);
          // Full (-1) and closed (0) both mean: stop. A client that reconnects continues from its cursor.
          const sink = { send: (frame: string | Uint8Array<ArrayBuffer>) => this.#sent(socket.send(frame)) };
          socket.data.connection = new (LATER.socket().SocketConnection)(options.connection, sink, caller.personId);
          this.#sockets.add(socket);
          // They may have been disabled since the check.
          if (!this.#access.people.isActive(caller.personId)) cut();
          this.#count("socketsOpen", 1);
          this.#count("socketsOpened", 1);
        },
        message: (socket, data) => socket.data.connection?.receive(data),
        drain: (socket) => socket.data.connection?.drained(),
        close: (socket) => {
          socket.data.left();
          this.#sockets.delete(socket);
          this.#count("socketsOpen", -1);
          if (socket.getBufferedAmount() > 0) this.#count("socketsDropped", 1);
          socket.data.connection?.[Symbol.dispose]();
        },
      },
    });
    this.port = this.#server.port ?? options.port;
    this.#access = options.access(this.port);
    this.#reach = options.reach(this.port);
    const { connection, monotonicMs, hooks } = options;
    this.#routes = new FirstUse(
      () =>
        new (LATER.programs().ApiRoutes)({ connection, access: this.#access, reach: this.#reach, hooks, monotonicMs }),
    );
    this.#access.people.onChanged((id) => this.#rightsChanged(id));
  }

  /** Connections of a person with fewer rights are closed at once; clients reconnect with the remaining rights. */
  #rightsChanged(id: PersonId): void {
    const isUnlimited = this.#access.people.isUnlimited(id);
    for (const socket of [...this.#sockets]) {
      if (socket.data.caller.personId !== id) continue;
      if (isUnlimited && socket.data.isUnlimited) socket.data.connection?.tellStanding();
      else socket.terminate();
    }
    if (isUnlimited) return;
    this.#routes.built?.cut(id);
    this.#rights.get(id)?.abort();
    this.#rights.delete(id);
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
    if (url.pathname.startsWith(PROGRAMS)) return this.#programs(request, url);
    if (url.pathname.startsWith(HOOKS)) return this.#hook(request, url);
    if (url.pathname.startsWith("/assets/")) return this.#get(request, () => this.#asset(request, url));
    // An address without a decision is not served.
    if (httpDecisionOf(url.pathname) === null) return plainText(404, "Not found.");
    switch (url.pathname) {
      case "/healthz":
        return this.#get(request, () => this.#health());
      case "/":
        return this.#get(request, () => this.#page(request, url, "shell"));
      case "/manifest.webmanifest":
        return this.#get(request, () => this.#options.pages.appManifest());
      case "/service-worker.js":
        return this.#get(request, () =>
          this.#options.pages.serviceWorker(request.headers.get("accept-encoding") ?? ""),
        );
      case "/portlet":
        return this.#get(request, () => this.#page(request, url, "portlet"));
      case "/sign-in":
        return signInRoute(this.#access, request, url, this.#addressOf(request));
      case "/sign-in/service":
      case "/sign-in/service/return":
        return serviceRoute(this.#access, this.#reach.localOrigin, request, url, this.#addressOf(request));
      case "/pair":
        return pairRoute(this.#access, request, url, this.#addressOf(request));
      case "/ws":
        return this.#socket(request, url);
      case "/mcp":
        return this.#mcp(request, url);
      case "/api/openapi.json":
        return this.#get(request, () => json(200, LATER.openApi().openApi(this.#options.version)));
      case "/api/socket-schema.json":
        return this.#get(request, () => json(200, LATER.socketSchema().describeSocket()));
      case "/api/status":
        return this.#observe(request, url, async () => json(200, await this.#options.status()));
      case "/api/metrics":
        return this.#observe(request, url, async () =>
          plainText(200, await this.#options.metrics(), { "Content-Type": METRICS_TYPE }),
        );
      case "/api/crash":
        return this.#crash(request, url);
      case "/api/trace":
        return this.#api(request, url, () => this.#trace(url));
      case "/api/export":
        return this.#api(request, url, () => LATER.transfer().exportRoute(this.#options.exports.use(), request, url));
      case "/api/export-all":
        return this.#api(request, url, (person) =>
          LATER.data().exportAllRoute(this.#dataOf(person), this.#options.exports.use(), request),
        );
      case "/api/backup":
        return this.#post(request, url, () => LATER.data().backupRoute(this.#options.data));
      case "/api/delete":
        return this.#post(request, url, () => LATER.data().deleteRoute(this.#options.data, request));
      case "/api/import":
        return this.#post(request, url, () =>
          LATER.transfer().importRoute(this.#options.fileImport.use(), request, url),
        );
      case "/api/devices":
      case "/api/devices/revoke":
      case "/api/pairing":
        return this.#devices(request, url);
      case "/api/push": {
        const caller = this.#access.callerOf(request, url);
        if (!caller) return this.#denied(request, url);
        if (request.method !== "GET" && request.method !== "POST")
          return plainText(405, "Only GET and POST are supported.", { Allow: "GET, POST" });
        return LATER.push().pushRoute(this.#options.push, caller, request);
      }
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

  #api(
    request: Request,
    url: URL,
    answer: (person: PersonId) => Response | Promise<Response>,
  ): Response | Promise<Response> {
    const person = this.#access.callerOf(request, url)?.personId ?? this.#access.redeemTicket(request, url);
    if (person === null) return this.#denied(request, url);
    return this.#ifAllowed(person, url, () => this.#get(request, () => answer(person)));
  }

  /** Called only for a person with limited rights. */
  #ifAllowed(person: PersonId, url: URL, answer: () => Response | Promise<Response>): Response | Promise<Response> {
    if (this.#options.connection.gate.isUnlimited(person)) return answer();
    return this.#refusalOf(person, url).then((refusal) => (refusal ? refused(refusal) : answer()));
  }

  async #refusalOf(person: PersonId, url: URL): Promise<Refusal | null> {
    const { gate } = this.#options.connection;
    const decision = httpDecisionOf(url.pathname);
    if (decision === null) return REFUSE.sessionNotFound();
    if (decision === "anyone" || decision === "own") return null;
    const { action, of } = decision;
    if (of === "server") return gate.refusalOf(person, action, null);
    if (of === "project") {
      const { data: project } = ProjectId.safeParse(url.searchParams.get("projectId"));
      return project === undefined ? REFUSE.projectNotFound() : gate.refusalOf(person, action, project);
    }
    const { data: session } = SessionId.safeParse(url.searchParams.get("sessionId"));
    return session === undefined ? REFUSE.sessionNotFound() : gate.refusalIn(person, action, session);
  }

  /** Of all sessions, those that a person may look at. */
  #dataOf(person: PersonId): DataDoor {
    const { data, connection } = this.#options;
    const { gate } = connection;
    if (gate.isUnlimited(person)) return data;
    const sessionIds = async () => {
      const ids = await data.sessionIds();
      const seen = await Promise.all(ids.map((id) => gate.mayIn(person, "look", id)));
      return ids.filter((_, index) => seen[index]);
    };
    return { backUp: () => data.backUp(), delete: (which) => data.delete(which), sessionIds };
  }

  /** Figures of the whole server: also for a program that may only read. */
  #observe(request: Request, url: URL, answer: () => Promise<Response>): Response | Promise<Response> {
    const holder = this.#access.apiTokenOf(request, url);
    return holder?.projectId === null
      ? this.#ifAllowed(holder.personId, url, () => this.#get(request, answer))
      : this.#api(request, url, answer);
  }

  /** `/api/v1/…`, each route with the scope that it needs. */
  #programs(request: Request, url: URL): Response | Promise<Response> {
    const caller = this.#apiCallerOf(request, url);
    if (caller === null) return this.#denied(request, url);
    if (!this.#options.isReady()) {
      const words = "The server is starting or stopping. Try again in a moment.";
      return apiError(503, { error: words, code: "UNAVAILABLE" }, { "Retry-After": "1" });
    }
    // Events may be rare, and an agent may take a minute to start.
    this.#server.timeout(request, 0);
    return this.#routes.use().answer(request, url, caller);
  }

  /** `POST /hooks/<name>` with the secret of that hook, which opens nothing else. */
  #hook(request: Request, url: URL): Response | Promise<Response> {
    const { hooks, connection, isReady } = this.#options;
    const secret = bearerOf(request) ?? url.searchParams.get("token") ?? "";
    const hook = hooks.recognize(url.pathname.slice(HOOKS.length), secret);
    if (!hook)
      return this.#denied(request, url, "No such hook, or its secret is wrong. List hooks with: liminal hooks");
    if (!isReady()) return plainText(503, "Starting or stopping.", { "Retry-After": "1" });
    this.#server.timeout(request, 0);
    return LATER.hook().hookRoute(connection, hooks, hook, request);
  }

  #apiCallerOf(request: Request, url: URL): ApiCaller | null {
    const holder = this.#access.apiTokenOf(request, url);
    if (holder) {
      const { id: tokenId, scope, projectId, personId } = holder;
      return { tokenId, deviceId: null, scope, projectId, personId, mayAdmit: false };
    }
    const caller = this.#access.callerOf(request, url);
    if (!caller) return null;
    const deviceId = caller.kind === "device" ? caller.id : null;
    const { personId } = caller;
    return { tokenId: null, deviceId, scope: "admin", projectId: null, personId, mayAdmit: mayAdmit(caller) };
  }

  /** `POST /api/ticket` with `{"path": …}`: an address from which the page's browser can download once. */
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
    if (!caller || !mayAdmit(caller)) return this.#denied(request, url);
    const answer = deviceRoute({ access: this.#access, reach: this.#reach }, caller, request, url);
    return answer ?? plainText(405, "Not supported.", { Allow: "GET, POST" });
  }

  #post(request: Request, url: URL, answer: () => Promise<Response>): Response | Promise<Response> {
    const caller = this.#access.callerOf(request, url);
    if (!caller) return this.#denied(request, url);
    if (request.method !== "POST") return plainText(405, "Only POST is supported.", { Allow: "POST" });
    // A backup or an import may take long.
    this.#server.timeout(request, 0);
    return this.#ifAllowed(caller.personId, url, answer);
  }

  /** A session's own token is accepted only here. */
  async #mcp(request: Request, url: URL): Promise<Response> {
    const { mcp, isReady } = this.#options;
    const session = await mcp.sessionOf(bearerOf(request) ?? "");
    const caller = session === null ? this.#access.callerOf(request, url) : null;
    if (session === null && !caller)
      return this.#denied(request, url, "A token is required: the app's own, or that of a session that has not ended.");
    if (!isReady()) return plainText(503, "Starting or stopping.");
    // Agents wait for other agents for minutes without traffic.
    this.#server.timeout(request, 0);
    const visitor = { session, deviceId: caller?.kind === "device" ? caller.id : null };
    const person = caller?.personId ?? OWNER_ID;
    if (session !== null || this.#options.connection.gate.isUnlimited(person)) return mcp.serve(request, visitor);
    const signal = AbortSignal.any([request.signal, this.#rightsOf(person)]);
    const deviceId = visitor.deviceId ?? (caller?.kind === "api" ? `token-${caller.id}` : null);
    return mcp.serve(new Request(request, { signal }), { session, deviceId, personId: person });
  }

  #rightsOf(id: PersonId): AbortSignal {
    const known = this.#rights.get(id) ?? new AbortController();
    this.#rights.set(id, known);
    return known.signal;
  }

  #denied(request: Request, url: URL, words = "A token is required."): Response {
    if (this.#access.apiTokenOf(request, url))
      return apiError(403, { error: "This token may not do that. It needs the scope admin.", code: "FORBIDDEN" });
    const waitS = this.#access.waitAfterBadToken(request, url, this.#addressOf(request));
    if (waitS > 0) return tooManyTries(waitS);
    const denied = apiError(401, { error: words, code: "UNAUTHORIZED" });
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

  async #page(request: Request, url: URL, name: "shell" | "portlet"): Promise<Response> {
    const address = this.#addressOf(request);
    const signedIn = await signInByAddress(this.#access, request, url);
    if (signedIn) return signedIn;
    if (this.#access.mayLoadPage(request, url)) return this.#options.pages.page(name);
    const waitS = this.#access.waitAfterBadToken(request, url, address);
    return waitS > 0 ? tooManyTries(waitS) : signInPage(serviceButton(this.#access));
  }

  #socket(request: Request, url: URL): Response | undefined {
    const caller = this.#access.callerOf(request, url);
    if (!caller) return this.#denied(request, url);
    if (!this.#options.isReady()) return plainText(503, "Starting or stopping.");
    const offered = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
    const headers = offered.includes(SOCKET_PROTOCOL) ? { "Sec-WebSocket-Protocol": SOCKET_PROTOCOL } : {};
    const upgraded = this.#server.upgrade(request, { data: this.#socketData(caller), headers });
    return upgraded
      ? undefined
      : plainText(426, "This address only accepts WebSocket connections.", { Upgrade: "websocket" });
  }

  #socketData(caller: Caller): SocketData {
    const isUnlimited = this.#access.people.isUnlimited(caller.personId);
    return { connection: null, caller, isUnlimited, left: ignore("no caller waits for a program to disconnect") };
  }

  #fault(error: unknown): Response {
    this.#options.connection.onError(error);
    return plainText(500, "Unexpected server error.");
  }
}

/**
 * Requests that create access need more than a cookie, even a program's. A program's token cannot create access: when
 * it is revoked, nothing of it remains.
 */
function mayAdmit(caller: Caller): boolean {
  return caller.kind === "token" || (caller.kind === "device" && caller.hasPageKey);
}

/** The MCP tools, as far as HTTP needs them. */
export interface McpDoor {
  /** The session of a token; null if it is not a session's, or the session has ended. */
  sessionOf(token: string): Promise<SessionId | null>;
  /** On behalf of a session, or of a program outside with the app's token or a paired device. */
  serve(
    request: Request,
    visitor: {
      readonly session: SessionId | null;
      readonly deviceId: string | null;
      /** A person with limited rights. */
      readonly personId?: PersonId;
    },
  ): Promise<Response>;
}

/** Paths that only programs and our own pages request; links never lead there. */
const NO_PAGE = /^\/(?:api\/|hooks\/|ws$|mcp$|portlet$)/;
const OWN_SITES: readonly (string | null)[] = [null, "same-origin", "none"];

/**
 * Whether another page caused the request. A browser reports that in `Sec-Fetch-Site`, even without an
 * Origin: images, scripts and plain fetches of a page on another port of this machine, which include our cookie.
 * Such a page may navigate to us, as any link does, and nothing else.
 */
function isAskedByAnotherPage(request: Request, url: URL): boolean {
  if (OWN_SITES.includes(request.headers.get("sec-fetch-site"))) return false;
  // A browser sends all three or none; without the other two it is a program, which needs a token.
  const isVisit =
    request.method === "GET" &&
    (request.headers.get("sec-fetch-mode") ?? "navigate") === "navigate" &&
    (request.headers.get("sec-fetch-dest") ?? "document") === "document";
  return !isVisit || NO_PAGE.test(url.pathname);
}
