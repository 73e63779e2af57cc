import { expect, test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import type { AppPage } from "./app-page.ts";
import { picturesOf } from "./pictures.ts";
import { useChromium } from "./use-chromium.ts";

const A = "stream 1 words";
const B = "stream 2 words";
const C = "stream 3 words";

const chromium = useChromium();

/** Three open sessions; the last one is in view. */
async function threeTabs(app: AppPage, server: TestServer): Promise<void> {
  await app.addProject(await server.directory("demo"));
  for (const prompt of [A, B, C]) await (await app.newSession("demo")).ask(prompt, "w1");
  await app.untilTabs(A, B, C);
}

test("TC-4.1a opening a session makes a tab; TC-4.1b a second one becomes active and the first stays; TC-4.5a", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await expectSoon(() => app.page.getByRole("tab").count()).toBe(0);
  const first = await app.newSession("demo");
  await first.ask(A, "w1");
  await app.tab(A).and(app.activeTab).waitFor();
  const second = await app.newSession("demo");
  await app.untilTabs(A, "New Session");
  await app.tab("New Session").and(app.activeTab).waitFor();
  await expectSoon(() => first.iframe.isVisible()).toBe(false);
  await expectSoon(() => second.iframe.isVisible()).toBe(true);
  await expectSoon(() => app.page.getByRole("tab", { selected: true }).count()).toBe(1);
  await app.tab(A).click();
  await first.untilSaid("w1");
  await expectSoon(() => first.iframe.isVisible()).toBe(true);
  await expectSoon(() => app.tab(A).locator("svg").first().isVisible()).toBe(true);
});

test("TC-4.2a switching keeps the scroll position", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const long = await app.newSession("demo");
  await long.ask("stream 4000 words", "w4000");
  const held = await long.scrollUp(900);
  await long.button("Jump to latest").waitFor();
  const short = await app.newSession("demo");
  await short.ask(A, "w1");
  await app.tab("stream 4000 words").click();
  await app.tab("stream 4000 words").and(app.activeTab).waitFor();
  await expectSoon(() => long.scrollTop()).toBe(held);
  await expectSoon(() => long.button("Jump to latest").isVisible()).toBe(true);
});

test("TC-4.4a closing a tab keeps the session; TC-4.4b the next is activated, else the previous; TC-4.4c the last", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await threeTabs(app, server);
  await app.tab(B).click();
  await app.closeTab(B);
  await app.untilTabs(A, C);
  await app.tab(C).and(app.activeTab).waitFor();
  await app.closeTab(C);
  await app.tab(A).and(app.activeTab).waitFor();
  await app.closeTab(A);
  await app.page.getByText("No session open").waitFor();
  await expectSoon(() => app.page.getByRole("tab").count()).toBe(0);
  expect((await app.rowTitles()).toSorted()).toEqual([A, B, C]);
  await expectSoon(() => app.keptTabs()).toEqual({ openTabs: [], activeTab: null, tabOrder: [] });
  const session = await app.open(B);
  await session.untilSaid("w1 w2");
});

test("TC-4.4b closing a tab that is not in view leaves the view alone; the middle button closes too", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await threeTabs(app, server);
  await app.closeTab(A);
  await app.untilTabs(B, C);
  await app.tab(C).and(app.activeTab).waitFor();
  await app.tab(B).click({ button: "middle" });
  await app.untilTabs(C);
});

test("TC-4.6a dragging C between A and B gives A, C, B; TC-4.6b the order survives a restart", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server, { losesServer: true });
  await threeTabs(app, server);
  await app.tab(C).dragTo(app.tab(B), { targetPosition: { x: 4, y: 10 } });
  await app.untilTabs(A, C, B);
  await server.stop();
  await server.start();
  await app.refresh();
  await app.untilTabs(A, C, B);
  await app.tab(C).and(app.activeTab).waitFor();
});

test("TC-4.6a the keyboard reorders too", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await threeTabs(app, server);
  await app.page.keyboard.press("Alt+Shift+ArrowLeft");
  await app.untilTabs(A, C, B);
  await app.page.keyboard.press("Alt+1");
  await app.tab(A).and(app.activeTab).waitFor();
});

test("TC-4.7a TC-5.6a open tabs and the active one come back after a refresh and after a server restart", async () => {
  await using server = await startTestServer();
  // The other window signs in anew: until it has kept its page key, this one is refused, and tries again.
  await using app = await chromium.open(server, { losesServer: true, isRefused: true });
  await threeTabs(app, server);
  await app.tab(B).click();
  await app.closeTab(A);
  await app.refresh();
  await app.untilTabs(B, C);
  await app.tab(B).and(app.activeTab).waitFor();
  await (await app.shownSession()).untilSaid("w1 w2");
  await server.stop();
  await server.start();
  await using later = await chromium.open(server, { besides: app });
  await later.untilTabs(B, C);
  await later.tab(B).and(later.activeTab).waitFor();
  await (await later.shownSession()).untilSaid("w1 w2");
});

test("tabs whose session is gone are dropped when the page comes back", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await threeTabs(app, server);
  const { activeTab } = await app.keptTabs();
  await app.page.goto("about:blank");
  const client = await server.connect();
  await client.ask("session:archived", { type: "session:archive", sessionId: activeTab ?? "" });
  await app.page.goto(server.url);
  await app.untilTabs(A, B);
  await app.tab(B).and(app.activeTab).waitFor();
  expect((await app.keptTabs()).openTabs).toHaveLength(2);
});

test("X-46 on a tablet the close button of a tab, and its title, leave room for the mark of its state", async () => {
  await using server = await startTestServer();
  for (const theme of ["light", "dark"] as const) {
    await using app = await chromium.open(server, { isPhone: true, viewport: { width: 900, height: 700 }, theme });
    const picture = picturesOf(app.page);
    if (theme === "light") {
      await app.addProject(await server.directory("demo"));
      const first = await app.newSession("demo");
      await first.ask(A, "w1");
      await first.say("sleep 1000");
    } else await app.open(A);
    const tab = app.tab(A);
    const mark = tab.locator(".mark[data-state=working]");
    await mark.waitFor();
    for (const state of ["at rest", "touched"]) {
      if (state === "touched") await tab.tap();
      await picture(`tab ${theme} ${state}`);
      await expectSoon(() => mark.isVisible()).toBe(true);
      const [own, close, title] = await Promise.all([
        mark.boundingBox(),
        app.page.getByRole("button", { name: `Close ${A}` }).boundingBox(),
        tab.locator(".truncate").boundingBox(),
      ]);
      if (own === null || close === null || title === null) throw new Error("a part of the tab is not drawn");
      expect(own.x + own.width).toBeLessThanOrEqual(close.x);
      expect(title.x + title.width).toBeLessThanOrEqual(own.x);
    }
  }
});
