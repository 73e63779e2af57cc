import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import Provider from "oidc-provider";
import { z } from "zod";

const CLIENT_ID = "liminal";
export const CLIENT_SECRET = "a-secret-that-only-the-server-and-the-service-have";
/** Where the server lets browsers come back. */
const RETURN_PATH = "/sign-in/service/return";
const KEY_BITS = 2_048;
const HOUR_S = 3_600;
/** The package's own page loads fonts from the internet. */
const LOGIN_PAGE = `<!doctype html><html lang="en"><title>Example</title><link rel="icon" href="data:,">
<form method="post"><input type="hidden" name="prompt" value="login"><label>Login <input name="login"></label>
<button>Continue</button></form></html>`;

interface Employee {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

/** A token as this service could sign it, with other words in it or by another key. */
interface Forgery {
  readonly claims?: object;
  readonly key?: KeyObject;
}

/** The sign-in service of a company: a real OpenID provider with these people. A password is not asked for. */
export class CompanyService implements AsyncDisposable {
  readonly issuer: string;
  readonly employees = new Map<string, Employee>();
  /** Addresses that were asked, in order. */
  readonly asked: string[] = [];
  /** It answers nobody, as one that is being updated. */
  isAway = false;
  /** Answers the next request for a token by itself. */
  forgery: Forgery | null = null;
  readonly #server: Server;
  readonly #key: KeyObject;
  #listener: ((request: IncomingMessage, response: ServerResponse) => unknown) | null = null;
  #nonce = "";

  private constructor(server: Server, port: number, key: KeyObject) {
    this.#server = server;
    this.#key = key;
    this.issuer = `http://127.0.0.1:${port}`;
  }

  /** It knows nobody yet, and no server. */
  static async start(employees: Readonly<Record<string, Employee>> = {}): Promise<CompanyService> {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: KEY_BITS });
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = z.object({ port: z.int() }).parse(server.address());
    const service = new CompanyService(server, port, privateKey);
    for (const [id, employee] of Object.entries(employees)) service.employees.set(id, employee);
    server.on("request", (request, response) => service.#answer(request, response));
    return service;
  }

  /** `oidc` of config.json. */
  setting(more: object = {}): object {
    return { issuer: this.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, name: "Example", ...more };
  }

  /** From then on that server may send people here. `saysMoreLater`: the token has the subject alone. */
  serve(origin: string, { saysMoreLater = false } = {}): void {
    const client = (client_id: string) => ({
      client_id,
      client_secret: CLIENT_SECRET,
      redirect_uris: [`${origin}${RETURN_PATH}`],
    });
    const provider = new Provider(this.issuer, {
      clients: [client(CLIENT_ID), client("another-client")],
      jwks: { keys: [{ ...this.#key.export({ format: "jwk" }), alg: "RS256", use: "sig" }] },
      cookies: { keys: [CLIENT_SECRET] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      conformIdTokenClaims: saysMoreLater,
      findAccount: (_context, id) => {
        const employee = this.employees.get(id);
        return employee && { accountId: id, claims: () => ({ sub: id, ...employee }) };
      },
      // Nobody is asked whether the server may know who they are.
      loadExistingGrant: async ({ oidc: { client: asking, session, provider: of } }) => {
        const grant = new of.Grant({ clientId: asking.clientId, accountId: session.accountId });
        grant.addOIDCScope("openid email profile");
        await grant.save();
        return grant;
      },
    });
    this.#listener = provider.callback();
  }

  /** The connections end, too. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    await once(this.#server.close(), "close");
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", this.issuer);
    this.asked.push(url.pathname);
    this.#nonce = url.searchParams.get("nonce") ?? this.#nonce;
    const { forgery } = this;
    if (this.isAway) response.writeHead(503).end();
    else if (forgery && url.pathname === "/token") {
      this.forgery = null;
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ access_token: "made-up", token_type: "Bearer", id_token: this.#forge(forgery) }));
    } else if (request.method === "GET" && url.pathname.startsWith("/interaction/")) {
      response.setHeader("Content-Type", "text/html");
      response.end(LOGIN_PAGE);
    } else if (this.#listener) this.#listener(request, response);
    else response.writeHead(503).end();
  }

  /** Without changes it is as good as a true one. */
  #forge({ claims = {}, key = this.#key }: Forgery): string {
    const now = Math.floor(Date.now() / 1_000);
    const [id = "", employee = {}] = this.employees.entries().next().value ?? [];
    const times = { iat: now, exp: now + HOUR_S };
    const said = { iss: this.issuer, aud: CLIENT_ID, sub: id, nonce: this.#nonce, ...times, ...employee, ...claims };
    const parts = [{ alg: "RS256", typ: "JWT" }, said];
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
  }
}

/** A browser without a screen: it follows redirects, and sends each server its own cookies. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  async get(address: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#ask(address, { headers: { Accept: "text/html", ...headers } });
  }

  /** Up to the page that the service shows, or to where it sends the browser back. */
  async toService(server: string): Promise<string> {
    const begun = await this.get(`${server}/sign-in/service`);
    const location = begun.headers.get("location");
    if (location === null) throw new Error(`the sign-in did not begin: ${begun.status} ${await begun.text()}`);
    return location;
  }

  /** Signs in there as that employee, and stops at the address that leads back. */
  async signIn(location: string, login: string): Promise<string> {
    const service = new URL(location).origin;
    for (let address = location; ; ) {
      const answer = await this.get(address);
      const next = answer.headers.get("location");
      if (next !== null && new URL(next, address).origin !== service) return new URL(next, address).href;
      if (next !== null) address = new URL(next, address).href;
      else {
        const page = await answer.text();
        if (!page.includes("<form")) throw new Error(`the service shows no form: ${answer.status} ${page}`);
        const body = new URLSearchParams({ prompt: "login", login });
        const sent = await this.#ask(address, { method: "POST", body, headers: { Accept: "text/html" } });
        address = new URL(sent.headers.get("location") ?? "", address).href;
      }
    }
  }

  /** What the browser has from then on: null if the server let it in with nothing. */
  async comeBack(
    address: string,
  ): Promise<{ readonly status: number; readonly page: string; readonly headers: SignedInHeaders }> {
    const answer = await this.get(address, { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" });
    const page = await answer.text();
    const next = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page)?.[1];
    if (next === undefined) return { status: answer.status, page, headers: null };
    const entered = await this.get(new URL(next, address).href, { "Sec-Fetch-Site": "same-origin" });
    const key = /^\/#key=([\w-]+)$/.exec(entered.headers.get("location") ?? "")?.[1];
    const cookie = entered.headers.get("set-cookie")?.split(";")[0];
    const headers = key === undefined || cookie === undefined ? null : { Cookie: cookie, "X-Liminal-Key": key };
    return { status: entered.status, page, headers };
  }

  async #ask(address: string, init: RequestInit): Promise<Response> {
    const { origin } = new URL(address);
    const known = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, known);
    const Cookie = [...known].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as Record<string, string>), ...(Cookie !== "" && { Cookie }) };
    const answer = await fetch(address, { ...init, headers, redirect: "manual" });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = "", ...attributes] = set.split(";").map((part) => part.trim());
      const [name = ""] = pair.split("=");
      const isOver = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=.*1970/i.test(one));
      if (isOver) known.delete(name);
      else known.set(name, pair.slice(name.length + 1));
    }
    return answer;
  }
}

/** Of the browser that signed in; null: it did not. */
type SignedInHeaders = { readonly Cookie: string; readonly "X-Liminal-Key": string } | null;
