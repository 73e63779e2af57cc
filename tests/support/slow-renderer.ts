import type { Browser, BrowserContext, Page } from "playwright-core";

/** `LIMINAL_TEST_SLOWER=4`: pages compute four times slower than this machine, and tests wait that much longer. */
export const SLOWER = Math.max(1, Number(process.env["LIMINAL_TEST_SLOWER"] ?? 1) || 1);

/** Slows every page of the browser from its first script on; frames of the same origin share its process. */
export function slowPages(browser: Browser): Browser {
  if (SLOWER === 1) return browser;
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (...options) => slowContext(await newContext(...options));
  return browser;
}

function slowContext(context: BrowserContext): BrowserContext {
  const newPage = context.newPage.bind(context);
  context.newPage = async () => slowPage(await newPage());
  return context;
}

async function slowPage(page: Page): Promise<Page> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  return page;
}
