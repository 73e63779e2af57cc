import { expect } from "bun:test";
import type { Frame, Page } from "playwright-core";
import { loadedFrames } from "../e2e/loaded-frames.ts";
import { waitFor } from "../support/wait-for.ts";

const WIDTHS = [1_280, 390];
/** What a page of ours makes itself is known; anything else of this kind came out of a text. */
const MADE_BY_TEXT = `[...document.querySelectorAll("*")].filter((element) => {
  const names = element.getAttributeNames();
  if (names.some((name) => name.startsWith("on") || name === "srcdoc" || name === "formaction")) return true;
  if (element.closest("article, nav, dialog, [role=listbox], [role=group]") === null) return false;
  if (element.matches("script, style, iframe, object, embed, base, meta, link, form[action], video, math, marquee")) return true;
  if (element.matches("a[href]")) return !/^(https?:|mailto:|ftp:|tel:)/.test(element.getAttribute("href")) && !element.getAttribute("href").startsWith("#");
  return element.matches("img[src]") && !/^(data:image\\/(png|jpeg|gif|webp)|blob:)/.test(element.getAttribute("src"));
}).map((element) => element.outerHTML.slice(0, 200))`;
/** What is wider than its place, and the innermost of what makes it so. */
const OVERFLOWS = `(() => {
  const places = [document.documentElement, ...document.querySelectorAll("[role=log], .sidebar-scroll, dialog")];
  const wide = places.filter((place) => place.scrollWidth > place.clientWidth + 1 && place.clientWidth > 0);
  return wide.map((place) => {
    const right = place.getBoundingClientRect().right;
    const culprit = [...place.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > right + 1).at(-1);
    return place.scrollWidth + " > " + place.clientWidth + ": " + (culprit ?? place).outerHTML.slice(0, 300);
  });
})()`;
/** Reads the transcript from its end to its beginning with everything opened, and gives all words that were shown. */
const READ_ALL = `(async () => {
  const log = document.querySelector("[role=log]");
  const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
  const words = new Set();
  for (;;) {
    for (const button of log.querySelectorAll("button[aria-expanded=false]")) button.click();
    await painted();
    for (const [mark] of log.textContent.matchAll(/mark-\\d+\\./g)) words.add(mark);
    if (log.scrollTop <= 0) return [...words];
    log.scrollTop -= log.clientHeight;
    await painted();
  }
})()`;

/** Nothing of what is shown became more than text, in any frame, and nothing is wider than its place. */
export async function expectOnlyText(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const frame of await loadedFrames(page)) {
      expect(await frame.evaluate<string[]>(MADE_BY_TEXT)).toEqual([]);
      await waitFor(
        () => frame.evaluate<string[]>(OVERFLOWS),
        (wide) => wide.length === 0,
        `${frame.url()} to fit ${width} px`,
      );
    }
  }
  await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: 800 });
}

/** Every mark that was on the screen while the whole transcript went by, all its cards open. */
export function readThrough(frame: Frame): Promise<string[]> {
  return frame.evaluate<string[]>(READ_ALL);
}
