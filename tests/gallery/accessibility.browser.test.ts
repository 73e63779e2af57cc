import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { axeViolations } from "../e2e/axe-violations.ts";
import { launchChromium } from "../support/chromium.ts";
import { GALLERY_STATES } from "./gallery-states.ts";
import { openStage } from "./open-stage.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

test("X-15 every state has a name of its own", () => {
  const names = GALLERY_STATES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

for (const state of GALLERY_STATES) {
  const { absentBecause = null } = state;
  test.skipIf(absentBecause !== null)(
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
