import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { axeViolations } from "../e2e/axe-violations.ts";
import { launchChromium } from "../support/chromium.ts";
import type { GalleryState } from "./gallery-state.ts";
import { openStage } from "./open-stage.ts";

/** One test for each state, in one browser. */
export function proveAccessible(states: readonly GalleryState[]): void {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  for (const state of states)
    test.skipIf((state.absentBecause ?? null) !== null)(
      `X-15 axe finds nothing against WCAG 2.2 AA in either theme: ${state.name}, ${state.shows}`,
      async () => {
        await using stage = await openStage(browser, state);
        await stage.reach();
        for (const colorScheme of ["dark", "light"] as const) {
          await stage.app.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          expect({ colorScheme, violations: await axeViolations(stage.app.page) }).toEqual({
            colorScheme,
            violations: [],
          });
        }
      },
    );
}
