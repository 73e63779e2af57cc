import type { BadTokenLimit } from "../access/bad-token-limit.ts";
import { type Devices, deviceName, kindOf } from "../access/devices.ts";
import { DownloadTickets } from "../access/download-tickets.ts";
import type { Pairing } from "../access/pairing.ts";
import { isSameSecret } from "../access/secrets.ts";
import { PAGE_KEY_HEADER, PAGE_KEY_PROTOCOL } from "../protocol/page-key.ts";
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
  /** Milliseconds on a clock that nobody can set. */
  readonly monotonicMs: () => number;
  readonly newSecret: () => string;
}

/** Who asks: a program that holds the token, or a signed-in device. */
export type Caller =
  | { readonly kind: "token" }
  | { readonly kind: "device"; readonly id: string; readonly hasPageKey: boolean };

/** What a device gets when it signs in; only browsers get a page key. */
export interface SignedIn {
  readonly cookie: string;
  readonly pageKey: string | null;
}

/** Who may talk to this server: pages it served itself, and whoever holds the token. */
export class AccessControl {
  readonly #options: AccessOptions;
  readonly #tickets: DownloadTickets;
  readonly cookieName: string;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#tickets = new DownloadTickets({ monotonicMs: options.monotonicMs, newSecret: options.newSecret });
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

  /**
   * Null for nobody we know. What is right counts, whatever wrong things come with it. A browser's cookie counts only with
   * its page key: every server on another port of this host that the user visits gets the cookie, too.
   */
  callerOf(request: Request, url: URL): Caller | null {
    if (tokensShown(request, url).some((shown) => this.isToken(shown))) return { kind: "token" };
    const id = this.#deviceOf(request);
    if (id === null) return null;
    const pageKey = this.devices.pageKeyOf(this.#cookieValue(request));
    const hasPageKey = pageKeysShown(request).some((shown) => isSameSecret(shown, pageKey));
    return hasPageKey || kindOf(id) === "program" ? { kind: "device", id, hasPageKey } : null;
  }

  /**
   * Whether the page itself may be sent. It is the same for everyone and contains nothing of the user's, so a cookie is
   * enough; a script of a page from before there were keys asks for it to learn whether it is signed in, and is not.
   */
  mayLoadPage(request: Request, url: URL): boolean {
    if (this.callerOf(request, url) !== null) return true;
    return request.headers.get("sec-fetch-dest") !== "empty" && this.#deviceOf(request) !== null;
  }

  /** For a download that the browser makes itself, without a header of ours: one use, this device, this address. */
  issueTicket(device: string, path: string): string {
    return this.#tickets.issue(device, path);
  }

  /** Uses the ticket in the address up. */
  redeemTicket(request: Request, url: URL): boolean {
    const device = request.method === "GET" ? this.#deviceOf(request) : null;
    return device !== null && this.#tickets.redeem(device, url);
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

  /** For one that has shown a token or a one-time code. The secret it brought along is never taken over. */
  signIn(request: Request): SignedIn {
    const name = deviceName(request.headers.get("user-agent"));
    const kind = isNavigation(request) ? "browser" : "program";
    const shown = this.devices.signIn(name, this.#deviceOf(request), kind);
    return {
      cookie: this.#cookie(request, shown),
      pageKey: kind === "browser" ? this.devices.pageKeyOf(shown) : null,
    };
  }

  /** Uses a one-time code up; null for one that is no good. */
  pair(code: string, request: Request): SignedIn | null {
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

/** Every browser says both when it loads a page; the second one only where the connection is secure or local. */
function isNavigation(request: Request): boolean {
  return /\btext\/html\b/.test(request.headers.get("accept") ?? "") || request.headers.has("sec-fetch-dest");
}

/** In a header, or for a socket, to which a page can give no header, as the name of a subprotocol. */
function pageKeysShown(request: Request): readonly string[] {
  const protocols = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
  const named = protocols.flatMap((name) =>
    name.startsWith(PAGE_KEY_PROTOCOL) ? name.slice(PAGE_KEY_PROTOCOL.length) : [],
  );
  return [request.headers.get(PAGE_KEY_HEADER) ?? "", ...named].filter((shown) => shown !== "");
}

function tokensShown(request: Request, url: URL): readonly string[] {
  return [bearerOf(request), url.searchParams.get("token")].flatMap((shown) => shown || []);
}
