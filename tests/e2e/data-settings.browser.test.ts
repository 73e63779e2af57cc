import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startTestServer } from "../support/test-server.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

test("X-27 settings back up, export and delete everything, each with its outcome in words", async () => {
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
  expect(await everything.isDisabled()).toBe(true);

  await dialog.getByLabel(/To confirm, type/).fill("delete everything");
  await everything.click();
  await status.filter({ hasText: "1 session deleted" }).waitFor();
  await app.untilTabs();
  expect(await app.projectNames()).toEqual([]);
});
