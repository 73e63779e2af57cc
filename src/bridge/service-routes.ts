import { SignInFailure } from "../access/sign-in-service.ts";
import type { AccessControl } from "./access-control.ts";
import { notSignedInPage, plainText, SECURITY_HEADERS, signedInPage, signInPage, tooManyTries } from "./plain-pages.ts";

const SERVICE_PATH = "/sign-in/service";
const RETURN_PATH = `${SERVICE_PATH}/return`;
/** The page that has it opens it at once. */
const CODE_MS = 60_000;
/** With it, the service lets people choose another account. */
const AGAIN = "again";
/** Of browsers that came by themselves, and programs. */
const OWN_SITES: readonly (string | null)[] = [null, "same-origin", "none"];

/** The button of the sign-in page; null without a service. */
export function serviceButton({ service }: AccessControl): { readonly name: string; readonly address: string } | null {
  return service && { name: service.name, address: `${service.address ?? ""}${SERVICE_PATH}` };
}

/** `/sign-in/service` sends the browser to the company's service, `/sign-in/service/return` is where it comes back. */
export async function serviceRoute(
  access: AccessControl,
  localOrigin: string,
  request: Request,
  url: URL,
  address: string,
): Promise<Response> {
  const { service } = access;
  if (service === null) return plainText(404, "Not found.");
  if (request.method !== "GET") return plainText(405, "Only GET is supported.", { Allow: "GET" });
  const button = serviceButton(access);
  // Another page may lead here, but not sign anybody in as somebody else.
  const isReturn = url.pathname === RETURN_PATH;
  if (!isReturn && !OWN_SITES.includes(request.headers.get("sec-fetch-site"))) return signInPage(button);
  const waitS = access.waitAfterBadSecrets(address);
  if (waitS > 0) return tooManyTries(waitS);
  const origin = service.address ?? localOrigin;
  const returnTo = `${origin}${RETURN_PATH}`;
  try {
    if (!isReturn) {
      const { location, visit } = await service.begin(returnTo, url.searchParams.has(AGAIN));
      const headers = { Location: location, "Set-Cookie": access.visitCookie(visit, origin) };
      return new Response(null, {
        status: 302,
        headers: { ...SECURITY_HEADERS, ...headers, "Cache-Control": "no-store" },
      });
    }
    const person = await service.finish(new URL(`${returnTo}${url.search}`), access.visitOf(request));
    const { code } = access.pairing.invite(null, person.id, CODE_MS);
    return withoutVisit(signedInPage(`/?code=${encodeURIComponent(code)}`));
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const tooMany = error.isCounted ? access.countBadSecret(address) : 0;
    if (tooMany > 0) return tooManyTries(tooMany);
    return withoutVisit(
      notSignedInPage(error.status, error.message, button && { ...button, address: `${button.address}?${AGAIN}` }),
    );
  }

  function withoutVisit(answer: Response): Response {
    answer.headers.append("Set-Cookie", access.visitCookie(null, origin));
    return answer;
  }
}
