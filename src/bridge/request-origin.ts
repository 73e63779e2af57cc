/** Places that only programs and our own pages ask for; nobody is led to them by a link. */
const NO_PAGE = /^\/(?:api\/|ws$|mcp$|portlet$)/;
const OWN_SITES: readonly (string | null)[] = [null, "same-origin", "none"];

/**
 * Whether another page makes the browser ask. A browser says so itself in `Sec-Fetch-Site`, also where it sends no
 * Origin: images, scripts and plain fetches of a page on another port of this machine, which gets our cookie sent along.
 * Such a page may lead the user here, as any link does, and nothing else.
 */
export function isAskedByAnotherPage(request: Request, url: URL): boolean {
  if (OWN_SITES.includes(request.headers.get("sec-fetch-site"))) return false;
  // A browser says all three or none; without the other two it is a program, which shows a token or is turned away.
  const isVisit =
    request.method === "GET" &&
    (request.headers.get("sec-fetch-mode") ?? "navigate") === "navigate" &&
    (request.headers.get("sec-fetch-dest") ?? "document") === "document";
  return !isVisit || NO_PAGE.test(url.pathname);
}
