import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { startTestServer } from "../support/test-server.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { prepareSessions } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

/** Chooses an action of a session's row. */
async function choose(app: AppPage, title: string, action: string): Promise<void> {
  await app.projects.getByRole("button", { name: `More actions for ${title}`, exact: true }).click();
  const menu = app.page.getByRole("menu", { name: `Actions for ${title}` });
  await menu.getByRole("menuitem", { name: action, exact: true }).click();
  await menu.waitFor({ state: "hidden" });
}

const focused = (app: AppPage, what: Locator) => what.and(app.page.locator(":focus")).waitFor();

test("X-40 X-41 sessions are kept in order: pinned, labelled, filtered, unread, dismissed, archived and brought back", async () => {
  await using server = await startTestServer();
  const { say } = await prepareSessions(server, "demo", ["Oldest", "Breaks", "Newest"]);
  await using app = await chromium.open(server);
  await using other = await chromium.open(server);
  await app.untilRows("Newest", "Breaks", "Oldest");

  await choose(app, "Oldest", "Pin");
  await app.untilRows("Oldest", "Newest", "Breaks");
  await other.untilRows("Oldest", "Newest", "Breaks");
  await app.untilRowSays("Oldest", "pinned");

  await choose(app, "Newest", "Labels…");
  const labels = app.dialog("Labels of “Newest”");
  await focused(app, labels.getByRole("textbox", { name: "New label" }));
  await app.page.keyboard.type("Later");
  await app.page.keyboard.press("Enter");
  await labels.getByRole("checkbox", { name: "Later", checked: true }).waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await labels.getByRole("button", { name: "Done" }).click();
  await other.untilRowSays("Newest", "label Later");

  const filterButton = app.projects.getByRole("button", { name: "Filter sessions", exact: true });
  await filterButton.click();
  const filter = app.projects.getByRole("search", { name: "Filter sessions" });
  await focused(app, filter.getByRole("textbox", { name: "Filter by title or label" }));
  await filter.getByRole("button", { name: "Later" }).click();
  await app.untilRows("Newest");
  await filter.getByText("1 of 3 sessions").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await filter.getByRole("button", { name: "Clear filter" }).click();
  await filter.getByRole("textbox").fill("break");
  await app.untilRows("Breaks");
  await app.page.keyboard.press("Escape");
  await focused(app, filterButton);
  await app.untilRows("Oldest", "Newest", "Breaks");

  await app.open("Newest");
  await choose(app, "Newest", "Mark as unread");
  await app.untilRowSays("Newest", "unread");
  await other.untilRowSays("Newest", "unread");
  await choose(other, "Newest", "Mark as read");
  await app.untilRowSays("Newest", /^(?!.*unread)/);

  await say("Breaks", "fail");
  await app.untilRowSays("Breaks", "failed");
  await app.projects.getByRole("button", { name: "Overview" }).click();
  const failed = app.page.getByRole("region", { name: "Failed" });
  await failed.getByRole("button", { name: "Dismiss: Breaks", exact: true }).click();
  await failed.waitFor({ state: "detached" });
  await other.untilRowSays("Breaks", /^(?!.*failed)/);
  await say("Breaks", "fail");
  await failed.getByRole("button", { name: "Breaks", exact: true }).waitFor();

  await app.open("Newest");
  await app.archive("Newest");
  await app.untilTabs();
  const undo = app.page.getByRole("status").getByRole("button", { name: "Undo", exact: true });
  // It goes after a moment, unless it has the pointer.
  await undo.hover();
  expect(await axeViolations(app.page)).toEqual([]);
  await undo.click();
  await app.untilTabs("Newest");
  await other.untilRowSays("Newest", "label Later");
  await undo.waitFor({ state: "detached" });

  await app.archive("Newest");
  await app.page.getByRole("status").getByRole("button", { name: "Dismiss", exact: true }).click();
  await undo.waitFor({ state: "detached" });
  await app.page.keyboard.press("Control+k");
  await focused(app, app.dialog("Command palette").getByRole("combobox"));
  await app.page.keyboard.type("undo archive");
  await app.page.getByRole("option", { name: /Undo: archive “Newest”/ }).waitFor();
  await app.page.keyboard.press("Enter");
  await app.untilTabs("Newest");
});
