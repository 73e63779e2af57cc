import { z } from "zod";
import { parseJson } from "../lib/parse-json.ts";
import type { ShownInvitation } from "../protocol/devices.ts";
import { SessionId } from "../protocol/ids.ts";
import { PAGE_KEY_PARAMETER } from "../protocol/page-key.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import type { AccessControl, Caller, SignedIn } from "./access-control.ts";
import {
  json,
  pairPage,
  plainText,
  SECURITY_HEADERS,
  shortBody,
  signedInPage,
  signInPage,
  spentCodePage,
  tooManyTries,
} from "./plain-pages.ts";
import { serviceButton } from "./service-routes.ts";

const Revoke = z.union([
  z.strictObject({ id: z.string().min(1).max(64) }),
  z.strictObject({ others: z.literal(true) }),
]);

/** How other devices reach this server, and how they can verify it. */
export interface Reach {
  /** Addresses of the page for other devices, the likeliest first; empty if only this machine can reach us. */
  readonly origins: () => readonly string[];
  readonly localOrigin: string;
  readonly certificate: {
    readonly fingerprint: string;
    readonly isGenerated: boolean;
    readonly expiresAt: string;
  } | null;
}

interface DeviceRoutesDeps {
  readonly access: AccessControl;
  readonly reach: Reach;
}

/** `/api/devices`, `/api/devices/revoke` and `/api/pairing`; null for any other path or method. */
export function deviceRoute(
  deps: DeviceRoutesDeps,
  caller: Caller,
  request: Request,
  url: URL,
): Response | Promise<Response> | null {
  switch (`${request.method} ${url.pathname}`) {
    case "GET /api/devices":
      return listDevices(deps, caller);
    case "POST /api/devices/revoke":
      return revoke(deps, caller, request);
    case "POST /api/pairing":
      return invite(deps, caller);
    case "GET /api/pairing":
      return pairingStatus(deps, caller, url);
    default:
      return null;
  }
}

/** An owner sees the devices of everybody, others their own. */
function listDevices({ access, reach }: DeviceRoutesDeps, caller: Caller): Response {
  const own = ownId(caller);
  const { people } = access;
  const seen = access.devices.list().filter((device) => mayManage(access, caller, device.personId));
  const devices = seen.map(({ personId, ...device }) => {
    const person = people.named(personId);
    return { ...device, isThis: device.id === own, ...(person && { person }) };
  });
  return json(200, { devices, certificate: reach.certificate, isReachable: reach.origins().length > 0 });
}

async function revoke({ access }: DeviceRoutesDeps, caller: Caller, request: Request): Promise<Response> {
  const wish = Revoke.safeParse(parseJson((await shortBody(request)) ?? ""));
  if (!wish.success)
    return json(400, { error: 'Expected {"id": …} for one device, or {"others": true} for all others.' });
  const { devices } = access;
  if ("others" in wish.data) return json(200, { revoked: await devices.revokeOthers(ownId(caller), caller.personId) });
  const isTheirs = mayManage(access, caller, devices.personOf(wish.data.id));
  if (isTheirs && (await devices.revoke(wish.data.id))) return json(200, { revoked: [wish.data.id] });
  return json(404, { error: "Device not found. It may have been revoked already." });
}

function invite({ access, reach }: DeviceRoutesDeps, caller: Caller): Response {
  return json(201, shownInvitation(reach, access.pairing.invite(ownId(caller), caller.personId)));
}

/** A created link, at every address of this server. */
export function shownInvitation(
  reach: Reach,
  { id, code, expiresAt }: ReturnType<AccessControl["pairing"]["invite"]>,
): ShownInvitation {
  const origins = reach.origins();
  const [first, ...others] = origins.length > 0 ? origins : [reach.localOrigin];
  const links = [first ?? reach.localOrigin, ...others].map((origin) => `${origin}/pair?code=${code}`);
  return { id, links, expiresAt, certificate: reach.certificate, isReachable: origins.length > 0 };
}

function pairingStatus({ access }: DeviceRoutesDeps, caller: Caller, url: URL): Response {
  const id = url.searchParams.get("id") ?? "";
  const person = access.pairing.personOf(id);
  const status = person !== null && mayManage(access, caller, person) ? access.pairing.statusOf(id) : null;
  return status ? json(200, status) : json(404, { error: "Link not found. Create a new one." });
}

/** Each person their own, and an owner all. */
function mayManage({ people }: AccessControl, { personId }: Caller, whose: PersonId): boolean {
  return personId === whose || people.isUnlimited(personId);
}

function ownId(caller: Caller): string | null {
  return caller.kind === "device" ? caller.id : null;
}

const CODE = /^[\w-]{16,64}$/;

/** Removes the token from the address at once, so that it stays out of histories and screenshots; null without one. */
export async function signInByAddress(access: AccessControl, request: Request, url: URL): Promise<Response | null> {
  const token = url.searchParams.get("token");
  if (token !== null && access.isToken(token)) {
    if (request.headers.get("sec-fetch-site") === "cross-site") return signedInPage(nextStep(access, url));
    return enter(url, await access.signIn(request), 302);
  }
  const code = url.searchParams.get("code");
  const signedIn = code === null ? null : await access.pair(code, request);
  return signedIn === null ? null : enter(url, signedIn, 302);
}

function nextStep(access: AccessControl, url: URL): string {
  const session = SessionId.safeParse(url.searchParams.get("session"));
  const named = session.success ? `&session=${encodeURIComponent(session.data)}` : "";
  return `${url.pathname}?code=${encodeURIComponent(access.pairing.invite(null).code)}${named}`;
}

/**
 * Redirects to the page with the cookie. The fragment, which browsers never send, carries what only the page may have:
 * the page key, and the session to show, if one is named.
 */
function enter(url: URL, { cookie, pageKey }: SignedIn, status: number): Response {
  const session = SessionId.safeParse(url.searchParams.get("session"));
  const fragment = [
    ...(pageKey === null ? [] : [`${PAGE_KEY_PARAMETER}=${pageKey}`]),
    ...(session.success ? [`session=${encodeURIComponent(session.data)}`] : []),
  ].join("&");
  const path = url.pathname === "/portlet" ? url.pathname : "/";
  const Location = fragment === "" ? path : `${path}#${fragment}`;
  const headers = { ...SECURITY_HEADERS, Location, "Set-Cookie": cookie, "Cache-Control": "no-store" };
  return new Response(null, { status, headers });
}

/** Opening the link consumes nothing, because link previews open it, too; the button does. */
export async function pairRoute(access: AccessControl, request: Request, url: URL, address: string): Promise<Response> {
  if (request.method === "GET" || request.method === "HEAD") {
    const code = url.searchParams.get("code") ?? "";
    return CODE.test(code) && access.pairing.isOpen(code) ? pairPage(code) : refuse(access, address);
  }
  if (request.method !== "POST") return plainText(405, "Only GET and POST are supported.", { Allow: "GET, POST" });
  const code = new URLSearchParams((await shortBody(request)) ?? "").get("code") ?? "";
  const signedIn = CODE.test(code) ? await access.pair(code, request) : null;
  return signedIn === null ? refuse(access, address) : enter(url, signedIn, 303);
}

/** The form of the sign-in page: the token, or the printed link that contains it. */
export async function signInRoute(
  access: AccessControl,
  request: Request,
  url: URL,
  address: string,
): Promise<Response> {
  if (request.method === "GET" || request.method === "HEAD") return signInPage(serviceButton(access));
  if (request.method !== "POST") return plainText(405, "Only GET and POST are supported.", { Allow: "GET, POST" });
  const given = new URLSearchParams((await shortBody(request)) ?? "").get("token") ?? "";
  if (access.isToken(tokenIn(given))) return enter(url, await access.signIn(request), 303);
  const waitS = access.countBadSecret(address);
  return waitS > 0 ? tooManyTries(waitS) : signInPage(serviceButton(access), true);
}

function tokenIn(given: string): string {
  const text = given.trim();
  return (URL.canParse(text) && new URL(text).searchParams.get("token")) || text;
}

function refuse(access: AccessControl, address: string): Response {
  const waitS = access.countBadSecret(address);
  return waitS > 0 ? tooManyTries(waitS) : spentCodePage();
}
