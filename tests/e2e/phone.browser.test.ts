import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Frame, Locator, Page } from "playwright-core";
import { z } from "zod";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { axeViolations } from "./axe-violations.ts";
import { loadedFrames } from "./loaded-frames.ts";
import { prepareSessions } from "./open-sessions.ts";
import { picturesOf } from "./pictures.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const Names = z.array(z.string());
const Pairing = z.object({ links: z.array(z.string()) });

/**
 * Controls in view that a finger of 44 px would miss: each must own the points around its middle. One at the edge of what
 * scrolls is looked at when it is scrolled to.
 */
const SMALL_TARGETS = `(() => {
  const REACH = 21;
  const found = [];
  const isAtEdge = (control, y) => {
    for (let around = control.parentElement; around !== null; around = around.parentElement) {
      const { top, bottom } = around.getBoundingClientRect();
      const isCut = top > y - REACH || bottom < y + REACH;
      if (isCut && around.scrollHeight > around.clientHeight && /auto|scroll/.test(getComputedStyle(around).overflowY)) return true;
    }
    return false;
  };
  for (const control of document.querySelectorAll("button, a[href], input, select, textarea, summary, [role=tab]")) {
    const { left, top, width, height } = control.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const isInView = width > 1 && height > 1 && x > 0 && y > 0 && x < innerWidth && y < innerHeight;
    if (!isInView || !control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const owns = (px, py) => {
      const hit = document.elementFromPoint(Math.min(Math.max(px, 1), innerWidth - 1), Math.min(Math.max(py, 1), innerHeight - 1));
      return hit !== null && (control.contains(hit) || [...control.labels ?? []].some((label) => label.contains(hit)) || hit.contains(control) && hit.closest("label, .field") !== null);
    };
    if (!owns(x, y) || isAtEdge(control, y)) continue;
    // The line of a choice may begin with it, and reach all the further to the right.
    const isWide = owns(x + REACH, y) && (owns(x - REACH, y) || (control.labels?.length > 0 && owns(x + 2 * REACH, y)));
    if (!isWide || !owns(x, y - REACH) || !owns(x, y + REACH)) found.push((control.getAttribute("aria-label") ?? control.textContent ?? "").trim().slice(0, 40) + " " + Math.round(width) + "x" + Math.round(height) + " " + control.className);
  }
  return found;
})()`;
const SMALL_FIELDS = `[...document.querySelectorAll("input:not([type=checkbox],[type=radio]), textarea, select")]
  .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16).map((field) => field.outerHTML.slice(0, 80))`;

/** Where an element ends on the right. */
async function rightOf(element: Locator): Promise<number> {
  const box = await element.boundingBox();
  return box === null ? Number.POSITIVE_INFINITY : box.x + box.width;
}

async function expectForFingers(place: Page | Frame): Promise<void> {
  await expectSoon(async () => Names.parse(await place.evaluate(SMALL_TARGETS))).toEqual([]);
  await expectSoon(async () => Names.parse(await place.evaluate(SMALL_FIELDS))).toEqual([]);
}

test("X-46 a phone without any session starts with its first one, and the list of agents fits", async () => {
  await using server = await startTestServer();
  await mkdir(join(server.home, "atlas"));
  await using app = await chromium.open(server, { isPhone: true });
  const { page } = app;
  const picture = picturesOf(page);
  await page.getByRole("heading", { name: "Run your coding agents side by side", level: 1 }).waitFor();
  await page.getByRole("option", { name: "atlas" }).waitFor();
  await picture("phone first page");
  expect(await axeViolations(page)).toEqual([]);
  await expectForFingers(page);
  await expectSoon(() => page.locator("html").evaluate((root) => root.scrollWidth <= root.clientWidth)).toBe(true);
  await page.getByRole("textbox", { name: "First message" }).fill("stream 3 words");
  await page.getByRole("option", { name: "atlas" }).tap();
  await page.getByRole("button", { name: "Start", exact: true }).tap();
  await (await app.shownSession()).untilSaid("w1 w2 w3");

  await page.getByRole("button", { name: "New session", exact: true }).tap();
  const form = app.dialog("New session");
  await form.getByRole("heading", { name: "More agents" }).waitFor();
  await form.getByRole("radio", { name: "In the project" }).waitFor();
  await picture("phone new session");
  await expectForFingers(page);
  await form.getByRole("button", { name: "Cancel" }).scrollIntoViewIfNeeded();
  await picture("phone new session end");
  await expectForFingers(page);
  const edge = await rightOf(form.getByRole("textbox", { name: "First message" }));
  expect(await rightOf(form.getByRole("searchbox", { name: "Filter agents" }))).toBeLessThanOrEqual(edge);
});

test("X-45 X-46 a phone is paired by one tap, can install the page, starts on the inbox, and opens without its server", async () => {
  await using server = await startTestServer();
  const { say } = await prepareSessions(server, "demo", ["Asks", "Talks"]);
  await say("Asks", "run echo by hand");
  const asked = await fetch(`${server.origin}/api/pairing`, {
    method: "POST",
    headers: { Authorization: `Bearer ${server.token}` },
  });
  const [link = ""] = Pairing.parse(await asked.json()).links;
  await using app = await chromium.open(server, { isPhone: true, losesServer: true, pairingLink: link });
  const { page } = app;
  const picture = picturesOf(page);

  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  const inbox = page.getByRole("region", { name: "Inbox" });
  await inbox.getByText("echo by hand").waitFor();
  await picture("phone inbox");
  expect(await axeViolations(page)).toEqual([]);
  await expectForFingers(page);

  const devtools = await page.context().newCDPSession(page);
  const { errors, data = "{}" } = await devtools.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const { icons } = z
    .object({ icons: z.array(z.object({ src: z.string(), purpose: z.string() })) })
    .parse(JSON.parse(data));
  expect(icons.map(({ purpose }) => purpose)).toEqual(["any", "any", "maskable"]);
  for (const { src } of icons)
    expect((await fetch(new URL(src, server.origin))).headers.get("content-type")).toBe("image/png");
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  // The profile of a test is a private one, which keeps nothing.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual([]);

  // One thumb: the answer is at hand, and the menu of a card has what a row has.
  await inbox.getByRole("button", { name: "Allow once", exact: true }).tap();
  await inbox.getByText("Nothing is waiting for you.").waitFor();
  await page.getByRole("button", { name: "More actions for Asks", exact: true }).tap();
  const menu = page.getByRole("menu", { name: "Actions for Asks" });
  await menu.getByRole("menuitem", { name: "Pin", exact: true }).waitFor();
  await expectForFingers(page);
  await menu.getByRole("menuitem", { name: "Pin", exact: true }).tap();
  await page.getByRole("button", { name: "Asks", exact: true }).tap();
  const session = await app.shownSession();
  await session.message.waitFor();
  await picture("phone session");
  for (const frame of await loadedFrames(page))
    if (frame !== page.mainFrame() && frame.name() === "") await expectForFingers(frame);

  // The head of a project has one menu, and room for its name.
  await page.getByRole("button", { name: "Show projects" }).tap();
  await app.projects.getByRole("button", { name: "More actions for demo", exact: true }).tap();
  const ofProject = page.getByRole("menu", { name: "Actions for demo" });
  await ofProject.getByRole("menuitem", { name: "Worktrees", exact: true }).waitFor();
  await expectSoon(() => app.projects.getByRole("button", { name: "Worktrees of demo" }).count()).toBe(0);
  await picture("phone project menu");
  await ofProject.getByRole("menuitem", { name: "Schedules", exact: true }).tap();
  await page.getByRole("heading", { name: "Schedules", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Show projects" }).tap();
  await app.row("Talks").tap();
  await page.getByRole("button", { name: /^Talks\s*2$/ }).tap();
  const sheet = app.dialog("Open sessions");
  await sheet.getByRole("button", { name: "Asks", exact: true }).waitFor();
  await picture("phone sheet");
  expect(await axeViolations(page)).toEqual([]);
  await expectForFingers(page);
  await sheet.getByRole("button", { name: "Close Talks", exact: true }).tap();
  await sheet.getByRole("button", { name: "Close Talks", exact: true }).waitFor({ state: "detached" });
  await sheet.getByRole("button", { name: "Asks", exact: true }).tap();
  await sheet.waitFor({ state: "detached" });

  // The worker keeps the shell and the files of the build, and nothing else.
  await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
  await page.reload();
  await app.untilListed();
  const kept = async () =>
    Names.parse(
      await page.evaluate(
        "caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((cache) => cache.keys()))).then((all) => all.flat().map(({ url }) => new URL(url).pathname)))",
      ),
    );
  await waitFor(
    kept,
    (paths) => paths.includes("/") && paths.some((path) => /main-.*\.js$/.test(path)),
    "the shell to be kept",
  );
  expect((await kept()).filter((path) => path !== "/" && !path.startsWith("/assets/"))).toEqual([]);
  await server.kill();
  await page.reload();
  await page.getByText("Connection lost").waitFor();
});
