import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";

const ROOT = join(import.meta.dir, "../..");
/** The policy of the real page, so that everything tested here is tested under Trusted Types. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src data: blob:; " +
  "font-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'; frame-ancestors 'self'; form-action 'self'; " +
  "base-uri 'none'; require-trusted-types-for 'script'; trusted-types liminal-worker";
const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>markdown</title>
<link rel="stylesheet" href="/page.css"></head><body><main class="column"></main><script type="module" src="/page.js"></script></body></html>`;

/** A browser on a page that holds the markdown engine. Whoever opens it disposes of it. */
export interface TestPage extends AsyncDisposable {
  readonly page: Page;
}

export async function openTestPage(): Promise<TestPage> {
  const server = await serveBundles();
  let browser: Browser | undefined;
  try {
    browser = await launchChromium();
    const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
    page.on("pageerror", (error) => console.error("page error:", error.message));
    await page.goto(server.url.href);
    const opened = browser;
    return {
      page,
      async [Symbol.asyncDispose]() {
        await opened.close();
        await server.stop(true);
      },
    };
  } catch (error) {
    await browser?.close();
    await server.stop(true);
    throw error;
  }
}

/** Reads something off every element that matches, as an expression over `e`. */
export function readAll(page: Page, selector: string, expression: string): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => ${expression})`);
}

async function serveBundles() {
  const [script, worker, style] = await Promise.all([
    bundle("tests/browser-page/markdown/page.ts"),
    bundle("src/ui/highlight/highlight-worker.ts"),
    bundle("tests/browser-page/markdown/page.css"),
  ]);
  const headers = { "content-security-policy": CONTENT_SECURITY_POLICY };
  const answer = (body: string, type: string) => () =>
    new Response(body, { headers: { ...headers, "content-type": type } });
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/": answer(HTML, "text/html; charset=utf-8"),
      "/page.js": answer(script, "text/javascript; charset=utf-8"),
      "/worker.js": answer(worker, "text/javascript; charset=utf-8"),
      "/page.css": answer(style, "text/css; charset=utf-8"),
    },
    fetch: () => new Response("not found", { status: 404 }),
  });
}

async function bundle(entry: string): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [join(ROOT, entry)], target: "browser", minify: true });
  const [output] = outputs;
  if (output === undefined) throw new Error(`${entry} gave no bundle`);
  return output.text();
}
