import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import type { ShellToPortlet } from "../../src/protocol/portlet-messages.ts";
import { launchChromium } from "../support/chromium.ts";
import { DEADLINE_MS } from "../support/wait-for.ts";

const ROOT = join(import.meta.dir, "../..");
const WORLD = { width: 1_000, height: 800 };
/** The policy of the real page, so that everything tested here is tested under Trusted Types. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src data: blob:; " +
  "font-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'; frame-ancestors 'self'; form-action 'self'; " +
  "base-uri 'none'; require-trusted-types-for 'script'; trusted-types liminal-worker";
/** A page that plays the shell: it hosts the frame, posts what the test says and keeps what the frame says. */
const SHELL_HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>shell</title>
<link rel="stylesheet" href="/shell.css"></head><body><script src="/shell.js"></script>
<iframe src="/portlet" title="Session"></iframe></body></html>`;
const SHELL_CSS =
  "html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block; overflow: hidden; }";
const SHELL_JS = `
  const received = [];
  addEventListener("message", (event) => {
    if (event.source === frames[0]) received.push(event.data);
  });
  const post = (messages) => {
    for (const message of messages) frames[0].postMessage(message, location.origin);
  };`;
/** Runs in every frame before anything else. */
const WATCH_POLICY = `
  globalThis.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    globalThis.violations.push(event.effectiveDirective + ": " + event.blockedURI + " " + event.sample);
  });`;

const IS_READY = 'received.some(({ type }) => type === "portlet:ready")';

export type PortletSaid = { readonly type: string } & Record<string, unknown>;

/** The real frame in a real browser, hosted by a page that plays the shell. */
export interface OpenPortlet extends AsyncDisposable {
  readonly page: Page;
  /** The session's own frame; another one after `reload`. */
  readonly frame: Frame;
  /** A new frame that knows nothing yet. */
  reload(): Promise<void>;
  /** What went wrong in the page: script errors and breaches of its policy. */
  problems(): Promise<readonly string[]>;
  post(...messages: readonly ShellToPortlet[]): Promise<void>;
  /** Posts in one task and waits until the frame has painted what it means. */
  show(...messages: readonly ShellToPortlet[]): Promise<void>;
  /** What the frame said so far, of one type. */
  said(type: string): Promise<readonly PortletSaid[]>;
  /** Waits until the frame has said something of this type, and gives the last. */
  heard(type: string, count?: number): Promise<PortletSaid>;
}

export async function openPortlet(viewport = WORLD, theme = "dark", hasTouch = false): Promise<OpenPortlet> {
  const server = await servePortlet();
  let browser: Browser | undefined;
  try {
    browser = await launchChromium();
    const page = await browser.newPage({ viewport, hasTouch });
    page.setDefaultTimeout(DEADLINE_MS);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.addInitScript(WATCH_POLICY);
    await page.addInitScript(`localStorage.setItem("liminal:theme", "${theme}")`);
    await page.goto(server.url.href);
    await until(page, IS_READY);
    return portletOn(page, errors, browser, server);
  } catch (error) {
    await browser?.close();
    await server.stop(true);
    throw error;
  }
}

type Server = Awaited<ReturnType<typeof servePortlet>>;

function portletOn(page: Page, errors: readonly string[], browser: Browser, server: Server): OpenPortlet {
  const frameOf = (): Frame => {
    const frame = page.frames()[1];
    if (frame === undefined) throw new Error("the shell page has no frame");
    return frame;
  };
  const post = async (...messages: readonly ShellToPortlet[]) => {
    await page.evaluate(`post(${JSON.stringify(messages)})`);
  };
  return {
    page,
    get frame() {
      return frameOf();
    },
    post,
    reload: async () => {
      await page.reload();
      await until(page, IS_READY);
    },
    show: async (...messages) => {
      await post(...messages);
      await painted(frameOf());
    },
    said: (type) => page.evaluate(`received.filter((message) => message.type === ${JSON.stringify(type)})`),
    heard: async (type, count = 1) => {
      const matching = `received.filter((message) => message.type === ${JSON.stringify(type)})`;
      await until(page, `${matching}.length >= ${count}`);
      return page.evaluate(`${matching}.at(-1)`);
    },
    problems: async () => [...errors, ...(await frameOf().evaluate<string[]>("violations"))],
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server.stop(true);
    },
  };
}

/**
 * Waits for a condition inside the page, looking once per frame; playwright's own waiting needs eval, which the policy
 * bars. The deadline is a timer's: a test may have stopped the page's clock.
 */
export async function until(place: Page | Frame, condition: string): Promise<void> {
  const isReached = await place.evaluate<boolean>(
    `new Promise((done) => {
      const look = () => (${condition}) ? done(true) : requestAnimationFrame(look);
      setTimeout(() => done(false), ${DEADLINE_MS});
      look();
    })`,
  );
  if (!isReached) throw new Error(`waited in vain for ${condition}`);
}

/** A message takes a task, a flush takes a frame, and what lies just outside the view takes one more. */
export async function painted(frame: Frame): Promise<void> {
  await frame.evaluate(
    "new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))))",
  );
}

async function servePortlet() {
  const [script, worker, theme, foundation, style, template] = await Promise.all([
    bundle("src/frame/main.ts"),
    bundle("src/ui/highlight/highlight-worker.ts"),
    bundle("src/ui/theme/main.ts"),
    bundle("src/ui/styles/foundation.css"),
    bundle("src/frame/styles/portlet.css"),
    Bun.file(join(ROOT, "src/frame/portlet.html")).text(),
  ]);
  const html = template.replaceAll(/\{\{(?:asset:)?([\w.-]+)\}\}/g, "/$1");
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/": answer(SHELL_HTML, "text/html"),
      "/shell.css": answer(SHELL_CSS, "text/css"),
      "/shell.js": answer(SHELL_JS, "text/javascript"),
      "/portlet": answer(html, "text/html"),
      "/portlet.js": answer(script, "text/javascript"),
      "/highlight-worker.js": answer(worker, "text/javascript"),
      "/theme.js": answer(theme, "text/javascript"),
      "/foundation.css": answer(foundation, "text/css"),
      "/portlet.css": answer(style, "text/css"),
    },
    fetch: () => new Response("not found", { status: 404 }),
  });
}

function answer(body: string, type: string): () => Response {
  const headers = { "content-security-policy": CONTENT_SECURITY_POLICY, "content-type": `${type}; charset=utf-8` };
  return () => new Response(body, { headers });
}

async function bundle(entry: string): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, entry)],
    target: "browser",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const [output] = outputs;
  if (output === undefined) throw new Error(`${entry} gave no bundle`);
  return output.text();
}
