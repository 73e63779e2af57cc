import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";

const FOLDER = process.env["LIMINAL_PICTURES"];

/** Takes numbered pictures of the steps of a test, into the folder that `LIMINAL_PICTURES` names. Without it, none. */
export function picturesOf(page: Page): (step: string) => Promise<void> {
  let taken = 0;
  return async (step) => {
    if (FOLDER === undefined) return;
    await mkdir(FOLDER, { recursive: true });
    taken += 1;
    const name = `${String(taken).padStart(2, "0")}-${step.toLowerCase().replaceAll(/\W+/g, "-")}.png`;
    await page.screenshot({ path: join(FOLDER, name) });
  };
}
