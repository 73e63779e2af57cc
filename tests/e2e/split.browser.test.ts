import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { z } from "zod";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import type { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const A = "stream 1 words";
const B = "stream 2 words";
const C = "stream 3 words";
const chromium = useChromium();

/** Three open sessions; the last one is in view. */
async function threeTabs(app: AppPage, server: TestServer): Promise<Record<"a" | "b" | "c", SessionView>> {
  await app.addProject(await server.directory("demo"));
  const views: SessionView[] = [];
  for (const prompt of [A, B, C]) {
    const view = await app.newSession("demo");
    await view.ask(prompt, "w1");
    views.push(view);
  }
  await app.untilTabs(A, B, C);
  const [a, b, c] = views;
  if (!a || !b || !c) throw new Error("three sessions were made");
  return { a, b, c };
}

/** The titles of the sessions in view, from left to right: all at one moment, as frames come and go. */
async function titlesInView(app: AppPage): Promise<string[]> {
  const placed = await app.page
    .locator("iframe[data-session-id]:visible")
    .evaluateAll((frames) =>
      frames.map((frame) => ({ title: frame.getAttribute("title"), left: frame.getBoundingClientRect().left })),
    );
  return placed.toSorted((x, y) => x.left - y.left).map(({ title }) => title ?? "");
}

function untilInView(app: AppPage, ...titles: string[]): Promise<string[]> {
  return waitFor(
    () => titlesInView(app),
    (seen) => Bun.deepEquals(seen, titles),
    `${titles.join(" | ")} side by side`,
  );
}

function untilFocused(place: Locator, what: string): Promise<boolean> {
  return waitFor(
    () => place.evaluate((element) => element.ownerDocument.hasFocus() && element.matches(":focus")),
    (isFocused) => isFocused,
    `the focus on ${what}`,
  );
}

async function widthOf({ iframe }: SessionView): Promise<number> {
  return (await iframe.boundingBox())?.width ?? 0;
}

/** Marks a frame's document: a frame that loads anew has lost it. */
function mark({ iframe }: SessionView): Promise<void> {
  return iframe.evaluate((frame) => {
    if (frame instanceof HTMLIFrameElement) frame.contentDocument?.body.setAttribute("data-marked", "");
  });
}

function isMarked({ iframe }: SessionView): Promise<boolean> {
  return iframe.evaluate(
    (frame) => frame instanceof HTMLIFrameElement && frame.contentDocument?.body.hasAttribute("data-marked") === true,
  );
}

async function openMenu(app: AppPage, title: string): Promise<Locator> {
  await app.tab(title).click({ button: "right" });
  const menu = app.page.getByRole("menu", { name: `Actions for ${title}` });
  await menu.waitFor();
  return menu;
}

test("X-18 by mouse: a tab's menu opens it beside, a click gives a column the focus, its head closes it; no frame loads anew", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const { a, c } = await threeTabs(app, server);
  await mark(a);
  await mark(c);
  await (await openMenu(app, A)).getByRole("menuitem", { name: "Open to the side" }).click();
  await untilInView(app, C, A);
  await app.tab(A).and(app.activeTab).waitFor();
  await untilFocused(a.message, "the composer of A");
  await c.message.click();
  await app.tab(C).and(app.activeTab).waitFor();
  await c.ask("stream 7 words", "w7");
  await untilInView(app, C, A);
  expect(await axeViolations(app.page)).toEqual([]);
  await app.row(B).click();
  await untilInView(app, B, A);
  await app.page.getByRole("button", { name: `Hide ${A}`, exact: true }).click();
  await untilInView(app, B);
  await app.untilTabs(A, B, C);
  await expectSoon(() => isMarked(a)).toBe(true);
  await expectSoon(() => isMarked(c)).toBe(true);
});

test("X-18 a tab dragged to the right edge opens to the side; the edge between two is dragged too", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const { a, c } = await threeTabs(app, server);
  const { mouse } = app.page;
  await app.tab(A).hover();
  await mouse.down();
  await app.tab(B).hover();
  const place = app.page.getByText("Open to the side");
  await place.waitFor();
  const box = await place.boundingBox();
  await mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 5, { steps: 4 });
  await mouse.up();
  await untilInView(app, C, A);
  const before = await widthOf(c);
  const edge = app.page.getByRole("separator", { name: `Resize ${C} and ${A}` });
  const at = await edge.boundingBox();
  const [x, y] = [(at?.x ?? 0) + 4, (at?.y ?? 0) + 200];
  await mouse.move(x, y);
  await mouse.down();
  await mouse.move(x + 120, y, { steps: 4 });
  await mouse.up();
  await waitFor(
    () => widthOf(c),
    (width) => Math.abs(width - before - 120) < 3,
    "the left column to be 120 px wider",
  );
  expect(Math.round((await widthOf(a)) + (await widthOf(c)))).toBe(Math.round(2 * before));
});

const KeptSplit = z.object({ columns: z.array(z.string()), shares: z.array(z.number()) });

test("X-18 by keyboard, and back after a reload and a server restart: columns, widths, focus; liminal:tabs keeps its shape", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server, { losesServer: true });
  const { a, b, c } = await threeTabs(app, server);
  const { keyboard } = app.page;
  await untilFocused(c.message, "the composer of C");
  await keyboard.press("Alt+\\");
  await untilInView(app, C, A);
  await untilFocused(a.message, "the composer of A");
  await keyboard.press("Control+\\");
  await untilInView(app, C, A, B);
  await untilFocused(b.message, "the composer of B");
  await keyboard.press("Alt+]");
  await app.tab(C).and(app.activeTab).waitFor();
  await untilFocused(c.message, "the composer of C");
  const before = await widthOf(c);
  await app.page.getByRole("separator", { name: `Resize ${C} and ${A}` }).focus();
  for (let step = 0; step < 4; step += 1) await keyboard.press("ArrowRight");
  const wider = await waitFor(
    () => widthOf(c),
    (width) => width > before + 80,
    "the left column to be wider",
  );
  expect(Object.keys(await app.keptTabs()).toSorted()).toEqual(["activeTab", "openTabs", "tabOrder"]);
  const kept = KeptSplit.parse(JSON.parse(await app.page.evaluate<string>(`localStorage.getItem("liminal:split")`)));
  expect(kept.columns).toEqual([c.id, a.id, b.id]);
  await server.stop();
  await server.start();
  await app.refresh();
  await untilInView(app, C, A, B);
  await app.tab(C).and(app.activeTab).waitFor();
  expect(Math.round(await widthOf(c))).toBe(Math.round(wider));
  await b.untilSaid("w1 w2");
  await app.tab(C).focus();
  await keyboard.press("Alt+Shift+W");
  await untilInView(app, A, B);
  await app.tab(A).and(app.activeTab).waitFor();
  await keyboard.press("Alt+w");
  await untilInView(app, B);
  await app.untilTabs(B, C);
  await app.tab(B).and(app.activeTab).waitFor();
});

test("X-18 where there is no room only the session with the focus is shown; with room again all of them are", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await threeTabs(app, server);
  await app.page.keyboard.press("Alt+\\");
  await untilInView(app, C, A);
  await app.page.setViewportSize({ width: 390, height: 800 });
  await untilInView(app, A);
  const menu = await openMenu(app, B);
  await expectSoon(() => menu.getByRole("menuitem", { name: "Open to the side" }).count()).toBe(0);
  await app.page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.setViewportSize({ width: 1_280, height: 800 });
  await untilInView(app, C, A);
});

test("X-11 X-18 a session beside the focused one counts as seen: its news are not unread", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const { a } = await threeTabs(app, server);
  await app.page.keyboard.press("Alt+\\");
  await untilInView(app, C, A);
  await app.tab(C).click();
  await app.tab(C).and(app.activeTab).waitFor();
  const client = await server.connect();
  await client.ask("session:history", { type: "session:open", sessionId: a.id });
  await client.ask("ok", { type: "session:send", sessionId: a.id, content: "stream 9 words" });
  await a.untilSaid("w9");
  await client.untilState(a.id, "the turn to end", ({ turn }) => turn.state === "idle");
  await a.untilIdle();
  const { projectId } = client.all("hello")[0]?.projects.map(({ id }) => ({ projectId: id }))[0] ?? {};
  await expectSoon(async () => {
    const { sessions } = await client.ask("session:list", { type: "session:list", projectId: projectId ?? "" });
    return sessions.find(({ id }) => id === a.id)?.unread ?? false;
  }).toBe(false);
});

test("TC-4.4a a tab's menu closes it or the others, renames in place, and archives; by keyboard too", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await threeTabs(app, server);
  await (await openMenu(app, B)).getByRole("menuitem", { name: "Rename" }).click();
  await app.page.getByRole("textbox", { name: `New title of ${B}` }).fill("renamed");
  await app.page.keyboard.press("Enter");
  await app.untilTabs(A, "renamed", C);
  await untilFocused(app.tab("renamed"), "the tab");
  await app.page.keyboard.press("Shift+F10");
  const menu = app.page.getByRole("menu", { name: "Actions for renamed" });
  await menu.waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await menu.getByRole("menuitem", { name: "Archive" }).press("Enter");
  await app.untilTabs(A, C);
  await (await openMenu(app, A)).getByRole("menuitem", { name: "Close others" }).click();
  await app.untilTabs(A);
  await (await openMenu(app, A)).getByRole("menuitem", { name: /^Close Alt/ }).click();
  await app.page.getByText("No session open").waitFor();
});

test("X-15 two columns with the same title are distinguished by their position", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  for (let session = 0; session < 2; session += 1) await (await app.newSession("demo")).ask(A, "w1");
  await app.page.keyboard.press("Alt+\\");
  await untilInView(app, A, A);
  const columns = await app.page.locator("iframe[data-session-id]:visible").all();
  for (const [place, iframe] of columns.entries())
    await waitFor(
      () => iframe.contentFrame().getByRole("main").getAttribute("aria-label"),
      (name) => new RegExp(`^Session ${A}, column [12]$`).test(name ?? ""),
      `the name of column ${place + 1}`,
    );
  expect(await axeViolations(app.page)).toEqual([]);
});
