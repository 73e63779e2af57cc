import type { ApiTokenHolder, ApiTokens } from "../access/api-tokens.ts";
import type { BadTokenLimit } from "../access/bad-token-limit.ts";
import { type Devices, deviceName, kindOf } from "../access/devices.ts";
import { DownloadTickets } from "../access/download-tickets.ts";
import type { Pairing } from "../access/pairing.ts";
import type { People } from "../access/people.ts";
import { isSameSecret } from "../access/secrets.ts";
import { type SignInService, VISIT_MS } from "../access/sign-in-service.ts";
import { PAGE_KEY_HEADER, PAGE_KEY_PROTOCOL } from "../protocol/page-key.ts";
import { OWNER_ID } from "../protocol/people.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import type { OwnHosts } from "./own-hosts.ts";

const COOKIE_AGE_S_MAX = 31_536_000;

interface AccessOptions {
  readonly token: string;
  /** Also accepted; null if there is none. */
  readonly commandToken: string | null;
  readonly cookieName: string;
  readonly hosts: OwnHosts;
  /** Whether cookies are sent over TLS only. */
  readonly isTls: boolean;
  readonly devices: Devices;
  readonly apiTokens: ApiTokens;
  readonly people: People;
  readonly pairing: Pairing;
  /** Of the company; null without one. */
  readonly service: SignInService | null;
  readonly badTokens: BadTokenLimit;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicMs: () => number;
  readonly newSecret: () => string;
}

/**
 * The caller: a program with the app's token, one with a token of its own that may do all that its person may, or a
 * device. `personId`: on whose behalf; whoever has the app's token is the owner.
 */
export type Caller = { readonly personId: PersonId } & (
  | { readonly kind: "token" }
  | { readonly kind: "api"; readonly id: string }
  | { readonly kind: "device"; readonly id: string; readonly hasPageKey: boolean }
);

/** What a device receives when it signs in; only browsers get a page key. */
export interface SignedIn {
  readonly cookie: string;
  readonly pageKey: string | null;
}

/** Who may use this server: pages it served itself, and holders of the token. */
export class AccessControl {
  readonly #options: AccessOptions;
  readonly #tickets: DownloadTickets;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#tickets = new DownloadTickets({ monotonicMs: options.monotonicMs, newSecret: options.newSecret });
  }

  get devices(): Devices {
    return this.#options.devices;
  }

  get apiTokens(): ApiTokens {
    return this.#options.apiTokens;
  }

  get people(): People {
    return this.#options.people;
  }

  get pairing(): Pairing {
    return this.#options.pairing;
  }

  get service(): SignInService | null {
    return this.#options.service;
  }

  isForeign(request: Request): boolean {
    return this.#options.hosts.isForeign(request);
  }

  /**
   * Null if unknown. A valid credential counts, whatever invalid ones come with it. A browser's cookie counts only with
   * its page key, because servers on other ports of this host receive the cookie, too.
   */
  callerOf(request: Request, url: URL): Caller | null {
    if (tokensShown(request, url).some((shown) => this.isToken(shown))) return { kind: "token", personId: OWNER_ID };
    const holder = this.apiTokenOf(request, url);
    if (holder?.scope === "admin" && holder.projectId === null)
      return { kind: "api", id: holder.id, personId: holder.personId };
    const id = this.#deviceOf(request);
    if (id === null) return null;
    const pageKey = this.devices.pageKeyOf(this.#cookieValue(request));
    const hasPageKey = pageKeysShown(request).some((shown) => isSameSecret(shown, pageKey));
    if (!hasPageKey && kindOf(id) === "browser") return null;
    return { kind: "device", id, hasPageKey, personId: this.devices.personOf(id) };
  }

  /** The program whose own token came with the request; null if there is none, or it was revoked. */
  apiTokenOf(request: Request, url: URL): ApiTokenHolder | null {
    for (const shown of tokensShown(request, url)) {
      const holder = this.apiTokens.recognize(shown);
      if (holder && this.people.isActive(holder.personId)) return holder;
    }
    return null;
  }

  /**
   * Whether the page itself may be sent. It is the same for everyone and contains no user data, so a cookie is enough.
   * A page from before there were keys requests it by script to check whether it is signed in, and is refused.
   */
  mayLoadPage(request: Request, url: URL): boolean {
    if (this.callerOf(request, url) !== null) return true;
    // What the service worker passes on is a visit, too, and no script can send one.
    const isVisit =
      request.headers.get("sec-fetch-dest") !== "empty" || request.headers.get("sec-fetch-mode") === "navigate";
    return isVisit && this.#deviceOf(request) !== null;
  }

  /** For a download by the browser itself, without our header: one use, this device, this address. */
  issueTicket(device: string, path: string): string {
    return this.#tickets.issue(device, path);
  }

  /** Consumes the ticket in the address; the person whose device has shown it, or null. */
  redeemTicket(request: Request, url: URL): PersonId | null {
    const device = request.method === "GET" ? this.#deviceOf(request) : null;
    return device !== null && this.#tickets.redeem(device, url) ? this.devices.personOf(device) : null;
  }

  isToken(candidate: string): boolean {
    const { token, commandToken } = this.#options;
    return candidate !== "" && [token, commandToken].some((one) => one !== null && isSameSecret(candidate, one));
  }

  /**
   * For a refused request: the seconds to wait after too many wrong tokens from that address, else 0. Cookies do not
   * count: their secret is always ours and too long to guess, and signed-out pages keep sending theirs.
   */
  waitAfterBadToken(request: Request, url: URL, address: string): number {
    return tokensShown(request, url).length > 0 ? this.countBadSecret(address) : 0;
  }

  countBadSecret(address: string): number {
    return this.#options.badTokens.count(address);
  }

  waitAfterBadSecrets(address: string): number {
    return this.#options.badTokens.waitOf(address);
  }

  /** What a browser keeps while it is at the sign-in service. It comes back from another site, which a strict cookie forbids. */
  visitCookie(visit: string | null, origin: string): string {
    const age = visit === null ? 0 : VISIT_MS / 1_000;
    const flags = `Path=/sign-in/service; HttpOnly; SameSite=Lax; Max-Age=${age}`;
    return `${this.#visitName}=${visit ?? ""}; ${flags}${origin.startsWith("https:") ? "; Secure" : ""}`;
  }

  visitOf(request: Request): string {
    return cookieOf(request, this.#visitName);
  }

  get #visitName(): string {
    return `${this.#options.cookieName}-visit`;
  }

  /** For a request with a token or a one-time code. The secret it already has is never reused. */
  async signIn(request: Request, person: PersonId = OWNER_ID): Promise<SignedIn> {
    const name = deviceName(request.headers.get("user-agent"));
    const kind = isNavigation(request) ? "browser" : "program";
    const shown = await this.devices.signIn(name, this.#deviceOf(request), kind, person);
    return {
      cookie: this.#cookie(request, shown),
      pageKey: kind === "browser" ? this.devices.pageKeyOf(shown) : null,
    };
  }

  /** Consumes a one-time code; null if it is invalid. */
  async pair(code: string, request: Request): Promise<SignedIn | null> {
    const name = deviceName(request.headers.get("user-agent"));
    const person = this.pairing.redeem(code, name);
    return person === null ? null : this.signIn(request, person);
  }

  /** Null also for a person who was disabled. */
  #deviceOf(request: Request): string | null {
    const device = this.devices.recognize(this.#cookieValue(request));
    return device !== null && this.people.isActive(this.devices.personOf(device)) ? device : null;
  }

  #cookieValue(request: Request): string {
    return cookieOf(request, this.#options.cookieName);
  }

  /** Behind a proxy only the proxy knows whether the browser used TLS; a false claim harms only the sender. */
  #cookie(request: Request, value: string): string {
    const isTls = this.#options.isTls || request.headers.get("x-forwarded-proto") === "https";
    const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_AGE_S_MAX}${isTls ? "; Secure" : ""}`;
    return `${this.#options.cookieName}=${value}; ${flags}`;
  }
}

function cookieOf(request: Request, name: string): string {
  const start = `${name}=`;
  const cookies = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return cookies.find((pair) => pair.startsWith(start))?.slice(start.length) ?? "";
}

export function bearerOf(request: Request): string | undefined {
  return /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

/** Every browser sends both when it loads a page; the second one only if the connection is secure or local. */
function isNavigation(request: Request): boolean {
  return /\btext\/html\b/.test(request.headers.get("accept") ?? "") || request.headers.has("sec-fetch-dest");
}

/** In a header, or as the name of a subprotocol for a socket, which cannot have custom headers. */
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
