import { chromium } from "playwright-core";
import { findChromium } from "../../../scripts/test/find-chromium.ts";
import { DONE, type Fault } from "./fault.ts";

/** A page in a real Chromium shows the app, then its browser is killed. */
export const browserKill: Fault = {
  name: "browser-kill",
  async inject({ scene: { server } }) {
    const executablePath = findChromium(process.env);
    if (executablePath === undefined) return { skipped: "no Chromium here: install it, or set CHROMIUM_PATH" };
    const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
    const running = await chromium.launchServer({ executablePath, args, headless: true });
    try {
      const browser = await chromium.connect(running.wsEndpoint());
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${server.port}/?token=${server.token}`);
      await page.getByRole("navigation", { name: "Projects" }).waitFor();
    } finally {
      await running.kill();
    }
    return DONE;
  },
};
