/** Agent text is never trusted; should it ever become markup, this leaves it nothing to run and nowhere to call. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "frame-ancestors 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types liminal-worker",
].join("; ");

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Frame-Options": "SAMEORIGIN",
};

const HTML = { ...SECURITY_HEADERS, "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" };
const TEXT = { ...SECURITY_HEADERS, "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };

function plainPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Liminal Builder</title>
<style>
  :root { color-scheme: dark light; }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 14px/1.6 system-ui, sans-serif; background: Canvas; color: CanvasText; }
  main { max-width: 34rem; padding: 2rem; }
  h1 { font-size: 18px; }
  code { font-size: 13px; }
  button { font: inherit; font-weight: 600; padding: 0.6rem 1.2rem; min-height: 44px; }
</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

const SIGN_IN = plainPage(
  "Sign in",
  `<h1>This browser is not signed in</h1>
<p>Liminal Builder printed a link with a token when it started. Open that whole link once; this browser then stays signed in.</p>
<p>Lost the link? <code>liminal open</code> signs this machine's browser in, and <code>liminal pair</code>, or Settings › Devices in a browser that is signed in, gives a link for another device. Or stop Liminal Builder with Ctrl-C and start it again with <code>npm start</code>: it prints a new one.</p>
<p>Clearing a browser's storage signs it out, and a browser that signed in with an older version has to sign in again. Already signed in here? <a href="/">Open Liminal Builder</a></p>`,
);

const SPENT_CODE = plainPage(
  "Link used or expired",
  `<h1>This link no longer works</h1>
<p>A pairing link works for five minutes and one device. Create a new one: Settings › Devices › Pair a device, or <code>liminal pair</code>.</p>
<p>Is this device paired already? <a href="/">Open Liminal Builder</a></p>`,
);

export function signInPage(): Response {
  return new Response(SIGN_IN, { status: 401, headers: HTML });
}

/** The code was checked to be letters and digits before it stands here. */
export function pairPage(code: string): Response {
  const body = `<h1>Use Liminal Builder on this device?</h1>
<p>This device will be signed in and can do everything you can. Revoke it at any time in Settings › Devices.</p>
<form method="post" action="/pair"><input type="hidden" name="code" value="${code}"><button type="submit" autofocus>Pair this device</button></form>`;
  // Without any referrer, a browser would call the form's own origin "null", which is foreign.
  return new Response(plainPage("Pair", body), { status: 200, headers: { ...HTML, "Referrer-Policy": "same-origin" } });
}

export function spentCodePage(): Response {
  return new Response(SPENT_CODE, { status: 401, headers: HTML });
}

export function tooManyTries(waitS: number): Response {
  const words = `Too many wrong tokens from this address. Wait ${waitS} s, then sign in with: liminal open`;
  return plainText(429, words, { "Retry-After": String(waitS) });
}

/**
 * For a browser that was sent here by a file or another page: it does not show its cookie on a redirect, but does with a
 * step that this page of ours makes. So a browser that is known stays the device it was.
 */
export function signedInPage(address: string): Response {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${address}"><title>Liminal Builder</title><p><a href="${address}">Continue</a></p></html>\n`;
  return new Response(page, { status: 200, headers: HTML });
}

export function plainText(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${text}\n`, { status, headers: { ...TEXT, ...headers } });
}

export function json(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { ...SECURITY_HEADERS, "Cache-Control": "no-store" } });
}

const BODY_BYTES_MAX = 1_024;

/** Null for more than a form or a wish ever needs, or for one that does not say how long it is. */
export async function shortBody(request: Request): Promise<string | null> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  return length <= BODY_BYTES_MAX ? request.text() : null;
}
