import { createHash, createHmac, timingSafeEqual } from "node:crypto";

interface AccessOptions {
  readonly token: string;
  readonly port: number;
  /** The configured bind address, which is also a name we answer to. */
  readonly host: string;
  readonly newId: () => string;
}

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

/** Who may talk to this server: pages it served itself, and whoever holds the token. */
export class AccessControl {
  readonly #options: AccessOptions;
  readonly #hosts: ReadonlySet<string>;
  readonly cookieName: string;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.cookieName = `liminal-${options.port}`;
    const names = new Set([...LOOPBACK_NAMES, options.host.includes(":") ? `[${options.host}]` : options.host]);
    this.#hosts = new Set([...names].map((name) => `${name}:${options.port}`.toLowerCase()));
  }

  /** A page of another site, or a name rebound to our address, is turned away before anything else is looked at. */
  isForeign(request: Request): boolean {
    const host = request.headers.get("host")?.toLowerCase() ?? "";
    if (!this.#hosts.has(host) && !this.#isDefaultPortHost(host)) return true;
    const origin = request.headers.get("origin");
    if (origin === null) return false;
    return !this.#isOwnOrigin(origin);
  }

  isAuthorized(request: Request, url: URL): boolean {
    const bearer = bearerOf(request);
    return (
      (bearer !== undefined && this.isToken(bearer)) ||
      this.isToken(url.searchParams.get("token") ?? "") ||
      this.#hasValidCookie(request)
    );
  }

  isToken(candidate: string): boolean {
    return candidate !== "" && equal(candidate, this.#options.token);
  }

  /** A browser's own session id: worth nothing to other programs, worthless when the token changes. */
  newCookie(): string {
    const id = this.#options.newId();
    return `${this.cookieName}=${id}.${this.#sign(id)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000`;
  }

  #hasValidCookie(request: Request): boolean {
    const cookies = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
    const value = cookies.find((pair) => pair.startsWith(`${this.cookieName}=`))?.slice(this.cookieName.length + 1);
    if (value === undefined) return false;
    const dot = value.indexOf(".");
    return dot > 0 && equal(value.slice(dot + 1), this.#sign(value.slice(0, dot)));
  }

  #sign(id: string): string {
    return createHmac("sha256", this.#options.token).update(`browser:${id}`).digest("base64url");
  }

  /** Port 80 is left out of Host headers. */
  #isDefaultPortHost(host: string): boolean {
    return this.#options.port === 80 && this.#hosts.has(`${host}:80`);
  }

  #isOwnOrigin(origin: string): boolean {
    if (!URL.canParse(origin)) return false;
    const { protocol, host } = new URL(origin);
    if (protocol !== "http:" && protocol !== "https:") return false;
    return this.#hosts.has(host.toLowerCase()) || this.#isDefaultPortHost(host.toLowerCase());
  }
}

export function bearerOf(request: Request): string | undefined {
  return /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

/** Constant time: how long a wrong guess takes says nothing about how wrong it is. */
function equal(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
