import { expect, test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { axeViolations } from "./axe-violations.ts";
import { useChromium } from "./use-chromium.ts";

const PHONE = { width: 390, height: 844 };
const chromium = useChromium();

test("CV-42 the page adds a schedule, runs it, shows how it went and opens its session; then edits, disables and removes it", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await app.projects.getByRole("button", { name: "Schedules of demo" }).click();
  const page = app.page.locator(".schedules-page");
  await page.getByRole("button", { name: "New schedule" }).click();
  const dialog = app.dialog("New schedule");
  await dialog.getByLabel("Name").fill("Greeting");
  await dialog.getByLabel("Prompt").fill("stream 3 words");
  await dialog.getByRole("combobox", { name: "Repeat" }).selectOption("custom");
  await dialog.getByLabel("Cron expression").fill("0 25 * * *");
  await dialog.getByText("is not a cron expression").waitFor();
  await dialog.getByRole("combobox", { name: "Repeat" }).selectOption("weekly");
  await dialog.getByRole("combobox", { name: "Day" }).selectOption("Sunday");
  await dialog.getByLabel("Time zone").fill("Europe/Berlin");
  await dialog.getByText("Next:").waitFor();
  await dialog.getByRole("button", { name: "Add schedule" }).click();
  const card = page.getByRole("listitem").first();
  await card.getByText("Every Sunday at 09:00 (Europe/Berlin)").waitFor();
  await card.getByRole("button", { name: "Run now: Greeting" }).click();
  await card.getByText("Done").waitFor();
  await card.getByRole("button", { name: "History of Greeting" }).click();
  const runs = card.getByRole("list", { name: /^Runs of / });
  await runs.getByRole("listitem").first().waitFor();
  await expectSoon(() => runs.getByRole("listitem").count()).toBe(1);
  expect(await axeViolations(app.page)).toEqual([]);

  await card.getByRole("button", { name: "Edit Greeting…" }).click();
  const edit = app.dialog("Edit “Greeting”");
  await expectSoon(() => edit.getByRole("combobox", { name: "Repeat" }).inputValue()).toBe("weekly");
  await edit.getByLabel("Name").fill("Farewell");
  await edit.getByRole("button", { name: "Save" }).click();
  await card.getByRole("heading", { name: "Farewell" }).waitFor();
  await card.getByRole("checkbox", { name: "Enable Farewell" }).click();
  await card.getByText("Disabled").waitFor();

  await runs.getByRole("button", { name: /^Open session of/ }).click();
  await app.tab("Greeting").and(app.activeTab).waitFor();
  await app.projects.getByRole("button", { name: "Schedules of demo" }).click();
  await card.getByRole("button", { name: "Remove Farewell…" }).click();
  await card.getByRole("button", { name: "Remove schedule" }).click();
  await page.getByRole("heading", { name: "No schedules" }).waitFor();
});

test("CV-42 on a phone's width nothing of the schedules or their form is cut off", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path: await server.directory("demo") });
  await client.ask("schedule:list", {
    type: "schedule:save",
    projectId: project.id,
    name: "A name that is long enough to need more than the width of a phone, twice",
    cadence: { kind: "cron", cron: "*/30 6-20 * * *", zone: "America/Argentina/Buenos_Aires" },
    target: { kind: "new", cliType: "builtin" },
    prompt: "look around",
    missed: "latest",
  });
  await using app = await chromium.open(server, { viewport: PHONE });
  await app.page
    .getByRole("button", { name: /sidebar|projects|menu/i })
    .first()
    .click();
  await app.projects.getByRole("button", { name: "Schedules of demo" }).click();
  const page = app.page.locator(".schedules-page");
  await page.getByText("America/Argentina/Buenos_Aires").waitFor();
  await expectSoon(() => page.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  await page.getByRole("button", { name: "New schedule" }).click();
  const body = app.dialog("New schedule").locator(".dialog-body");
  await body.waitFor();
  await expectSoon(() => body.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  expect(await axeViolations(app.page)).toEqual([]);
});
