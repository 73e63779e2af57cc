import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { axeViolations } from "./axe-violations.ts";
import { seedManySessions } from "./seed-many-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

function seeded(projects: number, sessionsEach: number) {
  return startTestServer({
    prepare: async (dataDir) => {
      const path = join(dataDir, "work");
      for (let project = 0; project < projects; project += 1)
        await mkdir(join(path, String(project)), { recursive: true });
      await seedManySessions(dataDir, { projects, sessionsEach, path });
    },
  });
}

function untilFocused(place: Locator, what: string): Promise<boolean> {
  return waitFor(
    () => place.evaluate((element) => element.matches(":focus")),
    (isFocused) => isFocused,
    `the focus on ${what}`,
  );
}

/** A row words its exact time whenever it is drawn, and nothing else in the page does. */
const COUNT_DRAWN_ROWS = `{
  const toWords = Date.prototype.toLocaleString;
  window.drawnRows = 0;
  Date.prototype.toLocaleString = function (...rest) {
    window.drawnRows += 1;
    return toWords.apply(this, rest);
  };
}`;

test("20 projects with 50 sessions each: a whole turn draws a handful of rows, never all of them", async () => {
  await using server = await seeded(20, 50);
  await using app = await chromium.open(server);
  await app.row("task 19.49").waitFor();
  await expectSoon(() => app.rowTitles()).toHaveLength(1_000);
  await app.page.evaluate(COUNT_DRAWN_ROWS);
  const client = await server.connect();
  const sessionId = "builtin:seed-7-30";
  await client.ask("session:history", { type: "session:open", sessionId });
  await client.ask("ok", { type: "session:send", sessionId, content: "stream 3 words" });
  await app.untilRowSays("task 7.30", "unread");
  const drawn = await app.page.evaluate<number>("window.drawnRows");
  expect(drawn).toBeGreaterThan(0);
  expect(drawn).toBeLessThan(30);
  await app.row("task 3.3").click();
  await app.tab("task 3.3").waitFor();
  await expectSoon(() => app.page.evaluate<number>("window.drawnRows")).toBeLessThan(40);
});

/** Rows that the browser styles, lays out and paints. */
const COUNT_RENDERED_ROWS = `[...document.querySelectorAll(".session-row")].filter((row) =>
  row.checkVisibility({ contentVisibilityAuto: true })).length`;

test("20 projects with 50 sessions each: rows out of view cost no layout, keep their place, and the keyboard reaches them", async () => {
  await using server = await seeded(20, 50);
  await using app = await chromium.open(server);
  const known = await waitFor(
    () => app.rowTitles(),
    ({ length }) => length === 1_000,
    "all rows",
  );
  const rendered = () => app.page.evaluate<number>(COUNT_RENDERED_ROWS);
  await waitFor(rendered, (count) => count <= 200, "most rows left out of the layout");
  const tree = app.projects.locator(".sidebar-scroll");
  const height = await tree.evaluate<number, HTMLElement>((element) => element.scrollHeight);
  await app.projects.getByRole("button", { name: "project 0", exact: true }).focus();
  await app.page.keyboard.press("End");
  await untilFocused(app.row(known.at(-1) ?? ""), "the last row");
  await waitFor(
    () => tree.evaluate<number, HTMLElement>((element) => element.scrollTop + element.clientHeight),
    (bottom) => Math.abs(bottom - height) < 40,
    "the end of the list, where it was announced",
  );
  await expectSoon(() => tree.evaluate<number, HTMLElement>((element) => element.scrollHeight)).toBe(height);
  await waitFor(rendered, (count) => count <= 200, "what was left behind left out again");
  await expectSoon(() => app.rowTitles()).toEqual(known);
});

test("X-15 the sidebar is walked by arrow keys, Home, End and letters; folds and its width come back after a restart", async () => {
  await using server = await seeded(3, 2);
  await using app = await chromium.open(server, { losesServer: true });
  const { keyboard } = app.page;
  const project = (name: string) => app.projects.getByRole("button", { name, exact: true });
  await app.row("task 2.1").waitFor();
  const rows = await app.rowTitles();
  await project("project 0").focus();
  await keyboard.press("ArrowDown");
  await untilFocused(app.row(rows[0] ?? ""), "the first row");
  await keyboard.press("ArrowLeft");
  await untilFocused(project("project 0"), "its project");
  await keyboard.press("ArrowLeft");
  await app.untilRows(...rows.slice(2));
  await keyboard.press("ArrowDown");
  await untilFocused(project("project 1"), "the next project");
  await keyboard.press("End");
  await untilFocused(app.row(rows.at(-1) ?? ""), "the last row");
  await keyboard.press("Home");
  await untilFocused(project("project 0"), "the first project");
  await keyboard.press("t");
  await untilFocused(app.row(rows[2] ?? ""), "the first row with a t");
  await keyboard.press("Enter");
  await app
    .tab(rows[2] ?? "")
    .and(app.activeTab)
    .waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  const grip = app.page.getByRole("separator", { name: "Resize sidebar" });
  const width = Number(await grip.getAttribute("aria-valuenow"));
  await grip.focus();
  await keyboard.press("ArrowRight");
  await server.stop();
  await server.start();
  await app.refresh();
  await app.untilRows(...rows.slice(2));
  await app
    .tab(rows[2] ?? "")
    .and(app.activeTab)
    .waitFor();
  expect(Number(await grip.getAttribute("aria-valuenow"))).toBe(width + 16);
  expect((await app.projects.boundingBox())?.width).toBe(width + 16);
  await app.projects.getByRole("button", { name: "Hide projects" }).click();
  await app.projects.waitFor({ state: "hidden" });
  await app.page.reload();
  await app.page.getByRole("button", { name: "Show projects" }).click();
  await app.projects.waitFor();
});
