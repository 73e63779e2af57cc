// Takes a picture of every state of the page: started by scripts/gallery.ts with the folder and parts of names.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";
import type { GalleryState } from "./gallery-state.ts";
import { GALLERY_STATES } from "./gallery-states.ts";
import { NARROW, openStage, WIDE } from "./open-stage.ts";
import { galleryIndex, type Picture } from "./write-index.ts";

const MEDIUM = { width: 1_024, height: 768 };
const THEMES = ["dark", "light"] as const;

const [folder = "", ...wanted] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
await using browser = await launchChromium();
const pictures: Picture[] = [];
const failed: string[] = [];
for (const state of GALLERY_STATES) {
  if (wanted.length > 0 && !wanted.includes(state.name)) continue;
  if (typeof state.absentBecause === "string") {
    console.log(`left out  ${state.name}: ${state.absentBecause}`);
    continue;
  }
  try {
    pictures.push(...(await takePictures(browser, state)));
    console.log(`ok    ${state.name}`);
  } catch (error) {
    failed.push(state.name);
    console.log(`FAIL  ${state.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
await writeFile(join(folder, "index.html"), galleryIndex(pictures));
console.log(`${pictures.length} pictures: ${join(folder, "index.html")}`);
if (failed.length > 0) console.log(`Not reached: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** The state is reached once; theme and width change while it is shown. */
async function takePictures(inBrowser: Browser, state: GalleryState): Promise<Picture[]> {
  await using stage = await openStage(inBrowser, state);
  const { page } = stage.app;
  await stage.reach();
  await page.mouse.move(0, 0); // nothing is lit up because a click happened there
  const taken: Picture[] = [];
  for (const viewport of widthsOf(state)) {
    await page.setViewportSize(viewport);
    await state.atTop?.(stage).evaluate((element) => element.scrollIntoView({ block: "start" }));
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      const file = `${state.name}-${viewport.width}-${theme}.png`;
      await page.screenshot({ path: join(folder, file), animations: "disabled", caret: "hide" });
      taken.push({ state: state.name, shows: state.shows, width: viewport.width, theme, file });
    }
  }
  return taken;
}

function widthsOf({ isPhone = false, isNarrow = isPhone, isWide = false, viewport: only }: GalleryState) {
  if (only !== undefined) return [only];
  return [WIDE, MEDIUM, NARROW].filter((viewport) => (viewport === NARROW ? !isWide : !isNarrow));
}
