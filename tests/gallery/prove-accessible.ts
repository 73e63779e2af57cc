import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import type { AppPage } from "../e2e/app-page.ts";
import { axeViolations, colourViolations } from "../e2e/axe-violations.ts";
import { launchChromium } from "../support/chromium.ts";
import type { GalleryState } from "./gallery-state.ts";
import { openStage } from "./open-stage.ts";

type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * One test for each state, in one browser. States of the usual workspace are reached one after the other on one page:
 * what a state needs besides that is what a page and a server of its own are started for.
 */
export function proveAccessible(states: readonly GalleryState[]): void {
  let browser: Browser;
  let shared: Stage | null = null;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await shared?.[Symbol.asyncDispose]();
    await browser.close();
  });

  async function take(state: GalleryState): Promise<Stage> {
    const stage = hasOwnStage(state) ? null : shared;
    if (stage === null) return openStage(browser, state);
    shared = null;
    await closeEverything(stage.app);
    return { ...stage, reach: () => state.reach(stage) };
  }

  for (const state of states)
    test.skipIf((state.absentBecause ?? null) !== null)(
      `X-15 axe finds nothing against WCAG 2.2 AA in either theme: ${state.name}, ${state.shows}`,
      async () => {
        await using stack = new AsyncDisposableStack();
        const stage = stack.use(await take(state));
        const { page } = stage.app;
        await stage.reach();
        const seen: Record<string, readonly string[]> = {};
        await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
        seen["dark"] = await axeViolations(page);
        await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
        seen["light"] = await colourViolations(page);
        expect(seen).toEqual({ dark: [], light: [] });
        if (hasOwnStage(state) || state.isLast || shared !== null) return;
        shared = stage;
        stack.move();
      },
    );
}

function hasOwnStage(state: GalleryState): boolean {
  const { server, prepare, seed, viewport, isNarrow, isPhone, losesServer, isRefused, hasOwnCertificate } = state;
  return [server, prepare, seed, viewport, isNarrow, isPhone, losesServer, isRefused, hasOwnCertificate].some(
    (own) => own !== undefined,
  );
}

/** Back to a page with nothing open. */
async function closeEverything(app: AppPage): Promise<void> {
  const layer = app.page.locator("dialog[open], [role=menu], nav input").filter({ visible: true });
  while ((await layer.count()) > 0) {
    // Not by a locator's own press, which waits for a layer: the last key may have closed it meanwhile.
    await layer.evaluateAll(([top]) => top instanceof HTMLElement && top.focus());
    await app.page.keyboard.press("Escape");
  }
  const heading = app.page.locator(".page-head h1");
  if ((await heading.count()) > 0) await heading.press("Escape");
  for (const title of await app.tabTitles()) await app.closeTab(title);
  await app.page.getByText("No session open").waitFor();
}
