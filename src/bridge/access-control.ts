import type { BadTokenLimit } from "../access/bad-token-limit.ts";
import { deviceName } from "../access/device-name.ts";
import type { Devices } from "../access/devices.ts";
import type { Pairing } from "../access/pairing.ts";
import { isSameSecret, keyedHash } from "../access/secrets.ts";
import type { OwnHosts } from "./own-hosts.ts";

const COOKIE_AGE_S_MAX = 31_536_000;

interface AccessOptions {
  readonly token: string;
  /** Also opens; null where there is none. */
  readonly commandToken: string | null;
  readonly port: number;
  readonly hosts: OwnHosts;
  /** Whether cookies may travel over TLS only. */
  readonly isTls: boolean;
  readonly devices: Devices;
  readonly pairing: Pairing;
  readonly badTokens: BadTokenLimit;
}

/** Who asks: a program that holds the token, or a signed-in browser. */
export type Caller = { readonly kind: "token" } | { readonly kind: "device"; readonly id: string };

/** Who may talk to this server: pages it served itself, and whoever holds the token. */
export class AccessControl {
  readonly #options: AccessOptions;
  readonly cookieName: string;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.cookieName = `liminal-${options.port}`;
  }

  get devices(): Devices {
    return this.#options.devices;
  }

  get pairing(): Pairing {
    return this.#options.pairing;
  }

  isForeign(request: Request): boolean {
    return this.#options.hosts.isForeign(request);
  }

  /** Null for nobody we know. What is right counts, whatever wrong things come with it. */
  callerOf(request: Request, url: URL): Caller | null {
    if (tokensShown(request, url).some((shown) => this.isToken(shown))) return { kind: "token" };
    const id = this.#deviceOf(request);
    return id === null ? null : { kind: "device", id };
  }

  isToken(candidate: string): boolean {
    const { token, commandToken } = this.#options;
    return candidate !== "" && [token, commandToken].some((one) => one !== null && isSameSecret(candidate, one));
  }

  /**
   * For one who was not let in: how many seconds to wait when too many wrong tokens came from there, else 0. A cookie is no
   * try: its secret is always ours and too long to guess, and pages that were signed out go on showing theirs.
   */
  waitAfterBadToken(request: Request, url: URL, address: string): number {
    return tokensShown(request, url).length > 0 ? this.countBadSecret(address) : 0;
  }

  countBadSecret(address: string): number {
    return this.#options.badTokens.count(address);
  }

  /** The cookie of a browser that has shown a token or a one-time code. What it brought along is never taken over. */
  signIn(request: Request): string {
    const name = deviceName(request.headers.get("user-agent"));
    return this.#cookie(request, this.devices.signIn(name, this.#deviceOf(request)));
  }

  /** The new cookie of a browser that was signed in before devices had sessions of their own; null for all others. */
  signInOlder(request: Request): string | null {
    const value = this.#cookieValue(request);
    const dot = value.indexOf(".");
    if (dot <= 0) return null;
    const id = value.slice(0, dot);
    if (!isSameSecret(value.slice(dot + 1), keyedHash(this.#options.token, `browser:${id}`))) return null;
    const shown = this.devices.signInOlder(id, deviceName(request.headers.get("user-agent")));
    return shown === null ? null : this.#cookie(request, shown);
  }

  /** Uses a one-time code up; null for one that is no good. */
  pair(code: string, request: Request): string | null {
    const name = deviceName(request.headers.get("user-agent"));
    return this.pairing.redeem(code, name) ? this.signIn(request) : null;
  }

  #deviceOf(request: Request): string | null {
    return this.devices.recognize(this.#cookieValue(request));
  }

  #cookieValue(request: Request): string {
    const cookies = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
    return cookies.find((pair) => pair.startsWith(`${this.cookieName}=`))?.slice(this.cookieName.length + 1) ?? "";
  }

  /** Behind a proxy only the proxy knows whether the browser used TLS; one that says so falsely harms itself alone. */
  #cookie(request: Request, value: string): string {
    const isTls = this.#options.isTls || request.headers.get("x-forwarded-proto") === "https";
    const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_AGE_S_MAX}${isTls ? "; Secure" : ""}`;
    return `${this.cookieName}=${value}; ${flags}`;
  }
}

export function bearerOf(request: Request): string | undefined {
  return /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

function tokensShown(request: Request, url: URL): readonly string[] {
  return [bearerOf(request), url.searchParams.get("token")].flatMap((shown) => shown || []);
}
