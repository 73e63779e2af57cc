import { join } from "node:path";
import type { Browser } from "playwright-core";
import { ignore } from "../../src/lib/ignore.ts";
import type { GalleryState } from "./gallery-state.ts";
import { NARROW, openStage, WIDE } from "./open-stage.ts";
import type { Picture } from "./write-index.ts";

const MEDIUM = { width: 1_024, height: 768 };
const THEMES = ["dark", "light"] as const;

/** Takes the pictures of one state. Rejects with the first error of its page, which may never be reached then. */
export async function pictureState(inBrowser: Browser, state: GalleryState, folder: string): Promise<Picture[]> {
  const problem = Promise.withResolvers<never>();
  problem.promise.catch(ignore("it is told by whoever waits"));
  const taking = takePictures(inBrowser, state, folder, (words) => problem.reject(new Error(words)));
  try {
    return await Promise.race([taking, problem.promise]);
  } catch (error) {
    // What still waits for the page ends with it, and then the server of the state.
    await Promise.all(inBrowser.contexts().map((context) => context.close()));
    await taking.catch(ignore("the first error is told"));
    throw error;
  }
}

/** The state is reached once; theme and width change while it is shown. */
async function takePictures(
  inBrowser: Browser,
  state: GalleryState,
  folder: string,
  onProblem: (words: string) => void,
): Promise<Picture[]> {
  await using stage = await openStage(inBrowser, state, onProblem);
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
