import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTestServer } from "../support/test-server.ts";
import { axeViolations } from "./axe-violations.ts";
import { useChromium } from "./use-chromium.ts";

const PHONE = { width: 390, height: 844 };
const chromium = useChromium();

test("X-4 the page shows what is wrong with config.json, with its line, until that is dismissed (A16)", async () => {
  await using server = await startTestServer({
    prepare: (dataDir) =>
      writeFile(join(dataDir, "config.json"), '{\n"orchestration": { "budget": { "cost": "5" } }\n}'),
  });
  await using app = await chromium.open(server, { viewport: PHONE });
  const strip = app.page.getByRole("alert").filter({ hasText: "config.json, line 2: orchestration.budget.cost" });
  await strip.waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  const box = await strip.boundingBox();
  expect(box?.width).toBeLessThanOrEqual(PHONE.width);
  expect(await strip.evaluate((node) => node.scrollWidth <= node.clientWidth)).toBeTrue();
  await strip.getByRole("button", { name: "Dismiss" }).click();
  await strip.waitFor({ state: "detached" });
});
