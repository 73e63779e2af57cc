import { z } from "zod";
import { parseJson } from "../lib/parse-json.ts";
import { SessionId } from "../protocol/ids.ts";
import { PAGE_KEY_PARAMETER } from "../protocol/page-key.ts";
import type { AccessControl, Caller, SignedIn } from "./access-control.ts";
import {
  json,
  pairPage,
  plainText,
  SECURITY_HEADERS,
  shortBody,
  signedInPage,
  spentCodePage,
  tooManyTries,
} from "./plain-pages.ts";

const Revoke = z.union([
  z.strictObject({ id: z.string().min(1).max(64) }),
  z.strictObject({ others: z.literal(true) }),
]);

/** How this server is reached from elsewhere, and how to know that it is this one. */
export interface Reach {
  /** Addresses of the page for other devices, the likeliest first; empty when only this machine can reach us. */
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
      return pairingStatus(deps, url);
    default:
      return null;
  }
}

function listDevices({ access, reach }: DeviceRoutesDeps, caller: Caller): Response {
  const own = ownId(caller);
  const devices = access.devices.list().map((device) => ({ ...device, isThis: device.id === own }));
  return json(200, { devices, certificate: reach.certificate, isReachable: reach.origins().length > 0 });
}

async function revoke({ access }: DeviceRoutesDeps, caller: Caller, request: Request): Promise<Response> {
  const wish = Revoke.safeParse(parseJson((await shortBody(request)) ?? ""));
  if (!wish.success)
    return json(400, { error: 'Expected {"id": …} for one device, or {"others": true} for all others.' });
  if ("others" in wish.data) return json(200, { revoked: access.devices.revokeOthers(ownId(caller)) });
  if (access.devices.revoke(wish.data.id)) return json(200, { revoked: [wish.data.id] });
  return json(404, { error: "Device not found. It may have been revoked already." });
}

function invite({ access, reach }: DeviceRoutesDeps, caller: Caller): Response {
  const { id, code, expiresAt } = access.pairing.invite(ownId(caller));
  const origins = reach.origins();
  const links = (origins.length > 0 ? origins : [reach.localOrigin]).map((origin) => `${origin}/pair?code=${code}`);
  return json(201, { id, links, expiresAt, certificate: reach.certificate, isReachable: origins.length > 0 });
}

function pairingStatus({ access }: DeviceRoutesDeps, url: URL): Response {
  const status = access.pairing.statusOf(url.searchParams.get("id") ?? "");
  return status ? json(200, status) : json(404, { error: "Link not found. Create a new one." });
}

function ownId(caller: Caller): string | null {
  return caller.kind === "device" ? caller.id : null;
}

const CODE = /^[\w-]{16,64}$/;

/** The token is taken out of the address at once, so that it stays out of histories and screenshots; null without one. */
export function signInByAddress(access: AccessControl, request: Request, url: URL): Response | null {
  const token = url.searchParams.get("token");
  if (token !== null && access.isToken(token)) {
    if (request.headers.get("sec-fetch-site") === "cross-site") return signedInPage(nextStep(access, url));
    return enter(url, access.signIn(request), 302);
  }
  const code = url.searchParams.get("code");
  const signedIn = code === null ? null : access.pair(code, request);
  return signedIn === null ? null : enter(url, signedIn, 302);
}

function nextStep(access: AccessControl, url: URL): string {
  const session = SessionId.safeParse(url.searchParams.get("session"));
  const named = session.success ? `&session=${encodeURIComponent(session.data)}` : "";
  return `${url.pathname}?code=${encodeURIComponent(access.pairing.invite(null).code)}${named}`;
}

/**
 * To the page, with the cookie. The fragment hands over what only the page may have, since no browser ever sends a
 * fragment: the page key, and the session to show, where one is named.
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

/** Opening the link uses nothing up, for what looks at links ahead of the user opens them too; the button does. */
export async function pairRoute(access: AccessControl, request: Request, url: URL, address: string): Promise<Response> {
  if (request.method === "GET" || request.method === "HEAD") {
    const code = url.searchParams.get("code") ?? "";
    return CODE.test(code) && access.pairing.isOpen(code) ? pairPage(code) : refuse(access, address);
  }
  if (request.method !== "POST") return plainText(405, "Only GET and POST are supported.", { Allow: "GET, POST" });
  const code = new URLSearchParams((await shortBody(request)) ?? "").get("code") ?? "";
  const signedIn = CODE.test(code) ? access.pair(code, request) : null;
  return signedIn === null ? refuse(access, address) : enter(url, signedIn, 303);
}

function refuse(access: AccessControl, address: string): Response {
  const waitS = access.countBadSecret(address);
  return waitS > 0 ? tooManyTries(waitS) : spentCodePage();
}
