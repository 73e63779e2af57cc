import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { axeViolations } from "./axe-violations.ts";
import { useChromium } from "./use-chromium.ts";

const PHONE = { width: 390, height: 844 };
const chromium = useChromium();

test("X-12 settings back up, export and delete everything, each with its outcome in words", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("stream 3 words", "w3");
  await app.page.getByRole("button", { name: "Settings" }).first().click();
  const dialog = app.dialog("Settings");
  const status = dialog.getByRole("status").last();
  await dialog.getByRole("button", { name: "Back up now" }).click();
  await status.filter({ hasText: "1 session in" }).waitFor();
  const path = /in (\S+) \(/.exec((await status.textContent()) ?? "")?.[1] ?? "";
  expect(existsSync(join(path, "manifest.json"))).toBe(true);
  const [download] = await Promise.all([
    app.page.waitForEvent("download"),
    dialog.getByRole("link", { name: "Export all sessions" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("liminal-sessions.tar");
  await dialog.getByRole("button", { name: "Delete…" }).click();
  const everything = dialog.getByRole("button", { name: "Delete everything" });
  await expectSoon(() => everything.isDisabled()).toBe(true);

  await dialog.getByLabel(/To confirm, type/).fill("delete everything");
  await everything.click();
  await status.filter({ hasText: "1 session deleted" }).waitFor();
  await app.untilTabs();
  await expectSoon(() => app.projectNames()).toEqual([]);
});

test("on a phone's width nothing of the data settings is cut off or out of reach", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server, { viewport: PHONE });
  await app.page.keyboard.press("Control+,");
  const data = app.dialog("Settings").getByRole("region", { name: "Data", exact: true });
  await data.getByRole("button", { name: "Delete…" }).click();
  const confirm = data.getByLabel(/To confirm, type/);
  await confirm.fill("delete everything");
  const controls = [...(await data.getByRole("button").all()), data.getByRole("link"), confirm];
  for (const control of controls) {
    await control.scrollIntoViewIfNeeded();
    const { x = -1, width = 0, height = 0 } = (await control.boundingBox()) ?? {};
    expect({ x: x >= 0, end: x + width <= PHONE.width, height: height >= 24 }).toEqual({
      x: true,
      end: true,
      height: true,
    });
  }
  const sideways = await data.evaluate((element) => element.scrollWidth - element.clientWidth);
  expect(sideways).toBe(0);
  expect(await axeViolations(app.page)).toEqual([]);
  await data.getByRole("button", { name: "Delete everything" }).click();
  await data.getByRole("status").filter({ hasText: "0 sessions deleted" }).waitFor();
});
