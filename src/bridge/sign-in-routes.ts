import { SessionId } from "../protocol/ids.ts";
import { PAGE_KEY_PARAMETER } from "../protocol/page-key.ts";
import type { AccessControl, SignedIn } from "./access-control.ts";
import {
  pairPage,
  plainText,
  SECURITY_HEADERS,
  shortBody,
  signedInPage,
  spentCodePage,
  tooManyTries,
} from "./plain-pages.ts";

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
  if (request.method !== "POST") return plainText(405, "Only GET and POST are answered here.", { Allow: "GET, POST" });
  const code = new URLSearchParams((await shortBody(request)) ?? "").get("code") ?? "";
  const signedIn = CODE.test(code) ? access.pair(code, request) : null;
  return signedIn === null ? refuse(access, address) : enter(url, signedIn, 303);
}

function refuse(access: AccessControl, address: string): Response {
  const waitS = access.countBadSecret(address);
  return waitS > 0 ? tooManyTries(waitS) : spentCodePage();
}
