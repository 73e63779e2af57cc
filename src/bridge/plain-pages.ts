/** Agent text is never trusted. If it ever became markup, it could run nothing and call nothing. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
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

/** A link is longer than its token. */
const TOKEN_CHARS_MAX = 500;

function plainPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="theme-color" content="#f0f1f7" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#16171f" media="(prefers-color-scheme: dark)">
<link rel="icon" href="data:,">
<title>${title} · Liminal Builder</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; min-height: 100dvh; display: grid; place-items: center; font: 16px/1.6 system-ui, sans-serif; background: light-dark(#fcfcfe, #1a1b26); color: light-dark(#2b304a, #c5cced); }
  main { max-width: 34rem; padding: 2rem max(1.25rem, env(safe-area-inset-right)) max(2rem, env(safe-area-inset-bottom)) max(1.25rem, env(safe-area-inset-left)); }
  h1 { font-size: 20px; line-height: 1.3; color: light-dark(#161a2e, #e8ebfb); }
  h2 { font-size: 16px; margin-top: 2rem; }
  form { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
  label { flex: 1 0 100%; font-weight: 600; }
  input:not([type=hidden]) { flex: 1 1 16rem; min-width: 0; min-height: 44px; box-sizing: border-box; padding: 0 0.75rem; font: 16px/1.4 ui-monospace, monospace; }
  a { color: light-dark(#2c5bd0, #7aa2f7); display: inline-block; padding-block: 10px; }
  code { font-size: 15px; }
  button, .button { font: inherit; font-weight: 600; width: 100%; padding: 0.6rem 1.2rem; min-height: 48px; border: 0; border-radius: 8px; background: light-dark(#2f5fd6, #7aa2f7); color: light-dark(#fff, #10131f); }
  .button { box-sizing: border-box; text-align: center; text-decoration: none; }
  @media (width >= 560px) { button, .button { width: auto; } }
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

/** Of the company's sign-in service. */
interface ServiceButton {
  readonly name: string;
  readonly address: string;
}

function buttonOf({ name, address }: ServiceButton): string {
  return `<p><a class="button" href="${asHtml(address)}">Sign in with ${asHtml(name)}</a></p>`;
}

function asHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** `wrong`: what was entered is not the token. */
function signInBody(service: ServiceButton | null, wrong: boolean): string {
  const refused = `<p id="wrong" role="alert"><b>That is not the token of this server.</b> Copy the whole link, or what stands after <code>token=</code> in it.</p>`;
  return `<h1>This browser is not signed in</h1>
${service ? `${buttonOf(service)}\n<h2>Or with a link</h2>` : ""}
<p>Liminal Builder printed a link with a token when it started. Open that link, or paste it here. This browser then stays signed in.</p>
<form method="post" action="/sign-in">
<label for="token">Link or token</label>
<input id="token" name="token" type="password" required${service ? "" : " autofocus"} autocomplete="off" spellcheck="false" maxlength="${TOKEN_CHARS_MAX}"${wrong ? ' aria-invalid="true" aria-describedby="wrong"' : ""}>
<button type="submit">Sign in</button>
</form>
${wrong ? refused : ""}
<h2>Lost the link?</h2>
<p>On the machine of the server, <code>liminal open</code> signs its browser in. If you started with <code>npm start</code>, run <code>npx liminal open</code> in the same directory. <code>liminal pair</code>, or Settings › Devices in a browser that is signed in, gives a link for another device.</p>
<p>Clearing a browser's storage signs it out, and a browser that signed in with an older version has to sign in again. Already signed in here? <a href="/">Open Liminal Builder</a></p>`;
}

const SPENT_CODE = plainPage(
  "Link used or expired",
  `<h1>This link no longer works</h1>
<p>A pairing link works for five minutes and one device. Create a new one: Settings › Devices › Pair a device, or <code>liminal pair</code>.</p>
<p>Is this device paired already? <a href="/">Open Liminal Builder</a></p>`,
);

export function signInPage(service: ServiceButton | null, wrong = false): Response {
  // Without any referrer, a browser would send the form's origin as "null", which is foreign.
  const headers = { ...HTML, "Referrer-Policy": "same-origin" };
  return new Response(plainPage("Sign in", signInBody(service, wrong)), { status: 401, headers });
}

/** After the sign-in service: what was wrong, and what to do. */
export function notSignedInPage(status: number, words: string, service: ServiceButton | null): Response {
  const body = `<h1>You are not signed in</h1>
<p role="alert">${asHtml(words)}</p>
${service ? buttonOf(service) : ""}
<p><a href="/sign-in">Other ways to sign in</a></p>`;
  return new Response(plainPage("Not signed in", body), { status, headers: HTML });
}

/** The code was already checked to be letters and digits. */
export function pairPage(code: string): Response {
  const body = `<h1>Use Liminal Builder on this device?</h1>
<p>This device will be signed in and can do everything you can. Revoke it at any time in Settings › Devices.</p>
<form method="post" action="/pair"><input type="hidden" name="code" value="${code}"><button type="submit" autofocus>Pair this device</button></form>`;
  // Without any referrer, a browser would send the form's origin as "null", which is foreign.
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
 * For a browser that came from a file or another page: it does not send its cookie on a redirect, but does on a
 * navigation by this page. So a known browser stays the same device.
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

/** Null for a body without a length, or larger than a form needs. */
export async function shortBody(request: Request): Promise<string | null> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  return length <= BODY_BYTES_MAX ? request.text() : null;
}
