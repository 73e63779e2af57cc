import { afterAll, afterEach, beforeAll, expect } from "bun:test";
import type { Browser, BrowserContext } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";
import type { TestServer } from "../support/test-server.ts";
import { DEADLINE_MS } from "../support/wait-for.ts";
import { AppPage } from "./app-page.ts";

const VIEWPORT = { width: 1_280, height: 800 };
/** Runs in every frame before anything else: what the policy bars is told like an error of the page's own. */
const WATCH_POLICY = `document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) =>
  console.error("policy violated:", effectiveDirective, blockedURI, sample))`;

interface OpenOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly theme?: "dark" | "light";
  /** The server is going to be away for a while: that the browser notices is no problem of the page's. */
  readonly losesServer?: boolean;
  /** The window is too narrow for the sidebar, which waits in a drawer. */
  readonly isDrawer?: boolean;
  /** A browser profile that is already in use: another window of it. */
  readonly besides?: AppPage;
  /** Another browser than the one of the file. */
  readonly browser?: Browser;
}

interface Chromium {
  /** `await using app = await chromium.open(server)`: signed in, in a profile of its own. */
  open(server: TestServer, options?: OpenOptions): Promise<AppPage>;
}

/** One browser for all tests of a file. A test in whose pages anything went wrong fails, whatever else it says. */
export function useChromium(): Chromium {
  let shared: Browser;
  const problems: string[] = [];
  beforeAll(async () => {
    shared = await launchChromium();
  });
  afterEach(() => expect(problems.splice(0)).toEqual([]));
  afterAll(() => shared.close());
  return {
    open: async (server, options = {}) => {
      const context = options.besides?.page.context() ?? (await newContext(options.browser ?? shared, options));
      const { losesServer = false } = options;
      const app = new AppPage(await context.newPage(), { losesServer, onProblem: (words) => problems.push(words) });
      await app.page.goto(server.url);
      await (options.isDrawer ? app.page.getByRole("button", { name: "Show projects" }) : app.projects).waitFor();
      return app;
    },
  };
}

async function newContext(browser: Browser, { viewport = VIEWPORT, theme }: OpenOptions): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport, reducedMotion: "reduce" });
  context.setDefaultTimeout(DEADLINE_MS);
  await context.addInitScript(WATCH_POLICY);
  if (theme) await context.addInitScript(`localStorage.setItem("liminal:theme", "${theme}")`);
  return context;
}
