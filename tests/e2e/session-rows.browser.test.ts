import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

async function menuOf(app: AppPage, title: string): Promise<Locator> {
  await app.projects.getByRole("button", { name: `More actions for ${title}`, exact: true }).click();
  const menu = app.page.getByRole("menu", { name: `Actions for ${title}` });
  await menu.waitFor();
  return menu;
}

async function confirmDelete(app: AppPage, title: string): Promise<void> {
  const question = app.dialog(`Delete “${title}”?`);
  await question.getByText("cannot be undone").waitFor();
  await question.getByRole("button", { name: "Delete session", exact: true }).click();
}

test("TC-2.1a a session is renamed in its row: by F2, by double click and from its menu; Esc leaves the title alone", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await using other = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await (await app.newSession("demo")).ask("stream 1 words", "w1");
  const field = (title: string) => app.projects.getByRole("textbox", { name: `New title of ${title}` });
  await app.row("stream 1 words").focus();
  await app.page.keyboard.press("F2");
  await field("stream 1 words").fill("By key");
  await app.page.keyboard.press("Enter");
  await app.untilRows("By key");
  await app.untilTabs("By key");
  await other.untilRows("By key");
  await app.row("By key").and(app.page.locator(":focus")).waitFor();

  await app.row("By key").dblclick();
  await field("By key").fill("not kept");
  await app.page.keyboard.press("Escape");
  await app.row("By key").waitFor();
  expect(app.sent("session:rename")).toHaveLength(1);

  await app.row("By key").dblclick();
  await field("By key").fill("  By mouse  ");
  await app.page.keyboard.press("Enter");
  await app.untilRows("By mouse");

  const menu = await menuOf(app, "By mouse");
  await menu.getByRole("menuitem", { name: "Rename" }).and(app.page.locator(":focus")).waitFor();
  await app.page.keyboard.press("Enter");
  await field("By mouse").fill("By menu");
  await app.page.keyboard.press("Enter");
  await other.untilRows("By menu");
});

test("TC-2.4a archived sessions are listed when asked for, and come back or go for good from there", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  for (const prompt of ["stream 1 words", "stream 2 words"]) await (await app.newSession("demo")).ask(prompt, "w1");
  const toggle = app.projects.getByRole("button", { name: "Show archived in demo", exact: true });
  await toggle.click();
  await app.projects.getByText("No archived sessions.").waitFor();
  await (await menuOf(app, "stream 1 words")).getByRole("menuitem", { name: "Archive" }).click();
  await app.archive("stream 2 words");
  await app.untilRows();
  const archived = app.projects.getByRole("list", { name: "Archived in demo" });
  await archived.getByRole("button", { name: "Unarchive stream 1 words", exact: true }).click();
  await app.untilRows("stream 1 words");
  await archived.getByRole("button", { name: "Delete stream 2 words", exact: true }).click();
  await confirmDelete(app, "stream 2 words");
  await app.projects.getByText("No archived sessions.").waitFor();
  await toggle.click();
  await app.projects.getByText("No archived sessions.").waitFor({ state: "detached" });
  await expectSoon(() => toggle.getAttribute("aria-pressed")).toBe("false");
});

test("deleting asks first, stops an agent at work, and takes row and tab away on every page; no leaves all as it is", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await using other = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await (await app.newSession("demo")).ask("stream 1 words", "w1");
  const session = await app.newSession("demo");
  await session.say("sleep");
  await session.untilSaid("Sleeping");
  await other.open("sleep");
  await (await menuOf(app, "sleep")).getByRole("menuitem", { name: "Delete…" }).click();
  const question = app.dialog("Delete “sleep”?");
  await question.getByText("still working").waitFor();
  await question.getByRole("button", { name: "Cancel", exact: true }).and(app.page.locator(":focus")).waitFor();
  await app.page.keyboard.press("Enter");
  await question.waitFor({ state: "hidden" });
  expect(app.sent("session:delete")).toEqual([]);

  const menu = await menuOf(app, "sleep");
  await app.page.keyboard.press("End");
  await menu.getByRole("menuitem", { name: "Delete…" }).and(app.page.locator(":focus")).waitFor();
  await app.page.keyboard.press("Enter");
  await confirmDelete(app, "sleep");
  await app.untilRows("stream 1 words");
  await app.untilTabs("stream 1 words");
  await other.untilRows("stream 1 words");
  await other.untilTabs();
  await app.refresh();
  await app.untilRows("stream 1 words");
});

test("X-11 what ends unseen is unread on every page and over a restart, until one page shows it", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server, { losesServer: true });
  await using other = await chromium.open(server, { losesServer: true });
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("stream 1 words", "w1");
  const description = (page: AppPage, title: string) => page.row(title).getAttribute("aria-description");
  await other.row("stream 1 words").waitFor();
  await expectSoon(() => description(other, "stream 1 words")).not.toContain("unread");
  await app.newSession("demo");
  const client = await server.connect();
  await client.ask("ok", { type: "session:send", sessionId: session.id, content: "stream 2 words" });
  for (const page of [app, other]) await page.untilRowSays("stream 1 words", "unread");
  await waitFor(
    () => app.tab("stream 1 words").getAttribute("aria-description"),
    (words) => words === "finished, unread",
    "the tab to say so too",
  );
  await server.stop();
  await server.start();
  await using late = await chromium.open(server);
  await late.untilRowSays("stream 1 words", "unread");
  await other.untilRowSays("stream 1 words", "unread");
  await other.open("stream 1 words");
  for (const page of [app, other, late])
    await waitFor(
      () => description(page, "stream 1 words"),
      (words) => words !== null && !words.includes("unread"),
      "every page to agree that it was read",
    );
  await client[Symbol.dispose]();
});
