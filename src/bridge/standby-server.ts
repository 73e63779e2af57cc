import { X509Certificate } from "node:crypto";
import type { OwnHosts } from "./own-hosts.ts";
import { json, plainText } from "./plain-pages.ts";

const SOCKET_PAYLOAD_BYTES_MAX = 32 * 1024 * 1024;
const SOCKET_BUFFER_BYTES_MAX = 16 * 1024 * 1024;
const SOCKET_IDLE_S = 120;
const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;
/** A server that is alive answers a connection at once. */
const CONNECT_MS_MAX = 5_000;
const RETRY_AFTER_S = "1";
/** "Service restart" and "try again later": a client connects again. */
const CLOSE_RESTART = 1012;
const CLOSE_BUSY = 1013;
const GONE = "The server that worked has gone.";
const TOO_SLOW = "The server that works does not read what you send. Connect again.";
/** Marks forwarded requests. The active server ignores it; any other refuses it, so that there are no loops. */
const PASSED = "x-liminal-passed";

/** The address of the active server. */
export interface WorkingServer {
  readonly origin: string;
  /** Its required certificate, in PEM; null without TLS. */
  readonly certificate: string | null;
}

interface StandbyOptions {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Called with the actual port, which is known only after listening. */
  readonly hosts: (port: number) => OwnHosts;
  /** Null while there is none, or none is known. */
  readonly works: () => WorkingServer | null;
}

type Payload = string | Uint8Array<ArrayBuffer>;
type Client = Bun.ServerWebSocket<Upstream>;

interface Upstream {
  readonly socket: Bun.WebSocket;
  /** Data received before the client's side was open; null from then on. */
  early: Payload[] | null;
}

/**
 * A standby replica forwards every request and socket to the active server, which authenticates callers. The origin of
 * a request is checked here, because only this server has its own names.
 */
export class StandbyServer {
  readonly #options: StandbyOptions;
  readonly #server: Bun.Server<Upstream>;
  readonly #hosts: OwnHosts;
  readonly #clients = new Set<Client>();
  #asking = new AbortController();
  readonly port: number;

  /** Throws if the port is taken. */
  constructor(options: StandbyOptions) {
    this.#options = options;
    this.#server = Bun.serve<Upstream>({
      hostname: options.host,
      port: options.port,
      reusePort: false,
      ...(options.tls && { tls: options.tls }),
      maxRequestBodySize: BODY_BYTES_MAX,
      development: false,
      fetch: (request) => this.#fetch(request),
      error: () => unavailable("The server that works could not be asked. Try again in a moment."),
      websocket: {
        maxPayloadLength: SOCKET_PAYLOAD_BYTES_MAX,
        backpressureLimit: SOCKET_BUFFER_BYTES_MAX,
        closeOnBackpressureLimit: true,
        idleTimeout: SOCKET_IDLE_S,
        perMessageDeflate: false,
        open: (client) => {
          const { early, socket } = client.data;
          client.data.early = null;
          this.#clients.add(client);
          for (const data of early ?? []) deliver(client, data);
          socket.addEventListener("message", ({ data }) => deliver(client, payloadOf(data)));
          socket.addEventListener("close", () => client.close(CLOSE_RESTART, GONE));
          if (socket.readyState !== WebSocket.OPEN) client.close(CLOSE_RESTART, GONE);
        },
        message: (client, data) => {
          const { socket } = client.data;
          // It has no event for becoming writable again, so there is nothing to wait for.
          if (socket.bufferedAmount > SOCKET_BUFFER_BYTES_MAX) client.close(CLOSE_BUSY, TOO_SLOW);
          else socket.send(data);
        },
        // A partial drain is not enough: more could arrive each time than was sent.
        drain: (client) => {
          if (client.getBufferedAmount() === 0) client.data.socket.resume();
        },
        close: (client) => {
          this.#clients.delete(client);
          // A paused one would not read the answer to the close.
          client.data.socket.resume();
          client.data.socket.close();
        },
      },
    });
    this.port = this.#server.port ?? options.port;
    this.#hosts = options.hosts(this.port);
  }

  /** Another server is active: a server that hangs would keep its clients waiting. They reconnect. */
  moved(): void {
    this.#asking.abort();
    this.#asking = new AbortController();
    for (const client of this.#clients) client.close(CLOSE_RESTART, GONE);
  }

  /** Its sockets are closed; clients connect again. */
  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #fetch(request: Request): Promise<Response | undefined> {
    if (this.#hosts.isForeign(request)) return plainText(403, "This server only accepts requests from its own pages.");
    const works = this.#options.works();
    const url = new URL(request.url);
    if (works === null)
      return url.pathname === "/healthz"
        ? json(503, { status: "standby", version: this.#options.version })
        : unavailable("No server of the team works now; one takes over within seconds. Try again in a moment.");
    if (request.headers.has(PASSED)) return goesInCircles();
    // Answers of agents take any time.
    this.#server.timeout(request, 0);
    // Read again: after a wait, another server may be active.
    const over = AbortSignal.any([request.signal, this.#asking.signal]);
    const isSocket = request.headers.get("upgrade")?.toLowerCase() === "websocket";
    const upstream = isSocket ? await openSocket(works, request, url, over) : "refused";
    if (upstream === "refused") return pass(works, request, url, over);
    if (upstream === "silent") return noAnswer();
    const chosen = upstream.socket.protocol;
    const headers = chosen === "" ? {} : { "Sec-WebSocket-Protocol": chosen };
    if (this.#server.upgrade(request, { data: upstream, headers })) return undefined;
    upstream.socket.close();
    return plainText(400, "This is no WebSocket connection.");
  }
}

/** Refused: the active server can be asked for the reason. Silent: it does not answer, or another one is active now. */
async function openSocket(
  works: WorkingServer,
  request: Request,
  url: URL,
  over: AbortSignal,
): Promise<Upstream | "refused" | "silent"> {
  const protocols = (request.headers.get("sec-websocket-protocol") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const headers = headersFor(works, request);
  for (const name of [...headers.keys()]) if (name.startsWith("sec-websocket-")) headers.delete(name);
  const address = `${works.origin.replace(/^http/, "ws")}${url.pathname}${url.search}`;
  const options = { headers: Object.fromEntries(headers), protocols, ...tlsOf(works) };
  // The browser's WebSocket type, which applies here, has no options.
  const socket: unknown = Reflect.construct(WebSocket, [address, options]);
  if (!isSocket(socket)) return "refused";
  socket.binaryType = "arraybuffer";
  const upstream: Upstream = { socket, early: [] };
  socket.addEventListener("message", ({ data }) => upstream.early?.push(payloadOf(data)));
  const opened = Promise.withResolvers<"open" | "refused" | "silent">();
  socket.addEventListener("open", () => opened.resolve("open"));
  socket.addEventListener("error", () => opened.resolve("refused"));
  socket.addEventListener("close", () => opened.resolve("refused"));
  const giveUp = () => opened.resolve("silent");
  over.addEventListener("abort", giveUp);
  const timer = setTimeout(giveUp, CONNECT_MS_MAX);
  const found = await opened.promise;
  clearTimeout(timer);
  over.removeEventListener("abort", giveUp);
  if (found === "open" && !over.aborted) return upstream;
  socket.close();
  return found === "refused" && !over.aborted ? "refused" : "silent";
}

function isSocket(value: unknown): value is Bun.WebSocket {
  return value instanceof WebSocket;
}

/** While a client does not read, nothing is read for it: the active server then sends as slowly as the client reads. */
function deliver(client: Client, data: Payload): void {
  if (client.send(data) < 0) client.data.socket.pause();
}

/** Headers of one connection, which are not forwarded. */
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "proxy-connection"];

function headersFor(works: WorkingServer, request: Request): Headers {
  const headers = new Headers(request.headers);
  for (const name of HOP_BY_HOP) headers.delete(name);
  headers.set("host", new URL(works.origin).host);
  headers.set(PASSED, "1");
  // It comes from one of this server's own pages: that was checked.
  if (headers.has("origin")) headers.set("origin", works.origin);
  return headers;
}

async function pass(
  works: WorkingServer,
  request: Request,
  { pathname, search }: URL,
  over: AbortSignal,
): Promise<Response> {
  try {
    const answer = await fetch(`${works.origin}${pathname}${search}`, {
      method: request.method,
      headers: headersFor(works, request),
      body: request.body,
      redirect: "manual",
      decompress: false,
      signal: over,
      ...tlsOf(works),
    });
    const headers = new Headers(answer.headers);
    for (const name of HOP_BY_HOP) headers.delete(name);
    return new Response(answer.body, { status: answer.status, headers });
  } catch {
    return noAnswer();
  }
}

function noAnswer(): Response {
  return unavailable("The server that works does not answer. If it has ended, another one takes over within seconds.");
}

function goesInCircles(): Response {
  const words =
    "A server of the team passed this request on to this one, which does not work but stands by. While another one takes over, that lasts a moment: try again. If it stays so, a LIMINAL_REPLICA_HOST leads to the wrong server: set it on each server to a name or address that leads to this server alone, not to a load balancer.";
  return plainText(508, words, { "Retry-After": RETRY_AFTER_S });
}

/** Only the certificate that the other server has stored in the database is trusted, under any name. */
function tlsOf({ certificate }: WorkingServer) {
  if (certificate === null) return {};
  const { fingerprint256 } = new X509Certificate(certificate);
  return {
    tls: {
      ca: certificate,
      allowPartialTrustChain: true,
      checkServerIdentity: (_name: string, shown: { readonly fingerprint256: string }) =>
        shown.fingerprint256 === fingerprint256 ? undefined : new Error("It shows another certificate."),
    },
  };
}

function payloadOf(data: unknown): Payload {
  return data instanceof ArrayBuffer ? new Uint8Array(data) : String(data);
}

function unavailable(words: string): Response {
  return plainText(503, words, { "Retry-After": RETRY_AFTER_S });
}
