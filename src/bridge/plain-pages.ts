import { SECURITY_HEADERS } from "./security-headers.ts";

const HTML = { ...SECURITY_HEADERS, "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" };
const TEXT = { ...SECURITY_HEADERS, "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };

const SIGN_IN = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in · Liminal Builder</title>
<style>
  :root { color-scheme: dark light; }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 14px/1.6 system-ui, sans-serif; background: Canvas; color: CanvasText; }
  main { max-width: 34rem; padding: 2rem; }
  h1 { font-size: 18px; }
  code { font-size: 13px; }
</style>
</head>
<body>
<main>
<h1>This browser is not signed in</h1>
<p>Liminal Builder printed a link with a token when it started. Open that whole link once; this browser then stays signed in.</p>
<p>The link is gone? <code>liminal open</code> signs this machine's browser in; or stop Liminal Builder with Ctrl-C and start it again with <code>npm start</code>: it prints a new one.</p>
</main>
</body>
</html>
`;

export function signInPage(): Response {
  return new Response(SIGN_IN, { status: 401, headers: HTML });
}

/**
 * For a browser that was sent here by a file or another page: its new cookie is not sent along with a redirect, but is
 * with a step that this page of ours makes.
 */
export function signedInPage(cookie: string, address: string): Response {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${address}"><title>Liminal Builder</title><p><a href="${address}">Go on</a></p></html>\n`;
  return new Response(page, { status: 200, headers: { ...HTML, "Set-Cookie": cookie } });
}

export function plainText(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${text}\n`, { status, headers: { ...TEXT, ...headers } });
}

export function json(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { ...SECURITY_HEADERS, "Cache-Control": "no-store" } });
}
