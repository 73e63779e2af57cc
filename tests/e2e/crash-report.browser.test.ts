import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { leaveCrashReport } from "../support/crash-report.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { axeViolations } from "./axe-violations.ts";
import { useChromium } from "./use-chromium.ts";

const PHONE = { width: 390, height: 844 };
const chromium = useChromium();

test("after a crash the page shows the report and deletes it, also in a narrow window", async () => {
  await using server = await startTestServer({ prepare: leaveCrashReport });
  await using app = await chromium.open(server, { viewport: PHONE });
  const strip = app.page.getByRole("status").filter({ hasText: "Liminal Builder ended unexpectedly" });
  await strip.waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  const [report] = await Promise.all([
    app.page.waitForEvent("popup"),
    strip.getByRole("link", { name: "Show" }).click(),
  ]);
  await report.getByText("Error: made up for a test").waitFor();
  await report.close();

  await strip.getByRole("button", { name: "Delete" }).click();
  await strip.waitFor({ state: "detached" });
  expect(readdirSync(join(server.dataDir, "crashes"))).toEqual([]);
  await app.page.reload();
  await app.page.getByRole("button", { name: "Show projects" }).waitFor();
  await expectSoon(() => strip.count()).toBe(0);
});
