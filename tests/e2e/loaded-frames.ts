import type { Frame, Page } from "playwright-core";

/** Every frame of the page, with its document there: the spare that waits for the next session may still be loading. */
export async function loadedFrames(page: Page): Promise<Frame[]> {
  const frames = page.frames();
  for (const frame of frames) await frame.waitForURL(({ protocol }) => protocol !== "about:");
  return frames;
}
