import { type Browser, chromium } from "playwright-core";
import { findChromium } from "../../scripts/test/find-chromium.ts";
import { slowPages } from "./slow-renderer.ts";

/** No sandbox, since tests also run as root in containers; no traffic of the browser's own. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** `await using browser = await launchChromium()`: a real, headless Chromium that ends with the test. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium(process.env);
  if (executablePath === undefined) throw new Error("No Chromium found: install it, or set CHROMIUM_PATH");
  return slowPages(await chromium.launch({ executablePath, args: FLAGS, headless: true }));
}
