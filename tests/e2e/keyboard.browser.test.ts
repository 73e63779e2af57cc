import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import type { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const MAC =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";

function hasFocus(place: Locator): Promise<boolean> {
  return place.evaluate(
    (element) => element.ownerDocument.hasFocus() && element.ownerDocument.activeElement === element,
  );
}

async function untilFocused(place: Locator, what: string): Promise<void> {
  await waitFor(
    () => hasFocus(place),
    (isFocused) => isFocused,
    `the focus on ${what}`,
  );
}

/** Goes there with Tab, as far as it takes. */
async function tabTo(app: AppPage, place: Locator, what: string, key = "Tab"): Promise<void> {
  await waitFor(
    async () => {
      if (await hasFocus(place)) return true;
      await app.page.keyboard.press(key);
      return hasFocus(place);
    },
    (isFocused) => isFocused,
    `the focus on ${what}`,
  );
}

/** Picks the built-in agent in the open dialog, and arrives in the new session's composer. */
async function chooseGuide(app: AppPage): Promise<SessionView> {
  const start = app.dialog("New session").getByRole("button", { name: "Start", exact: true });
  await tabTo(app, start, "Start");
  await app.page.keyboard.press("Enter");
  await app.dialog("New session").waitFor({ state: "hidden" });
  const session = await app.shownSession();
  await untilFocused(session.message, "the composer");
  return session;
}

test("X-15 the main story without a mouse: project, session, message, permission, cancel, tabs, close, archive", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const { keyboard } = app.page;
  const add = app.projects.getByRole("button", { name: "Add project", exact: true });
  await tabTo(app, add, "Add project");
  await keyboard.press("Enter");
  await untilFocused(app.dialog("Add project").getByRole("textbox", { name: "Directory" }), "the directory");
  await keyboard.type(await server.directory("demo"));
  await keyboard.press("Enter");
  await app.project("demo").waitFor();
  await untilFocused(add, "where the dialog was opened");

  await keyboard.press("n");
  const session = await chooseGuide(app);
  await keyboard.type("run echo by hand");
  await keyboard.press("Shift+Enter");
  await keyboard.press("Backspace");
  await keyboard.press("Enter");
  await session.permission.waitFor();
  const allow = session.permission.getByRole("button", { name: "Allow once", exact: true });
  // A card that has just been drawn, or moved, takes no answer yet: Enter then does nothing, and is pressed again.
  await waitFor(
    async () => {
      if ((await session.permission.count()) === 0) return 0;
      // Counted, not waited for: the card may be answered and gone by now.
      const isThere = (await allow.and(session.frame.locator(":focus")).count()) > 0;
      await keyboard.press(isThere ? "Enter" : "Shift+Tab");
      return session.permission.count();
    },
    (count) => count === 0,
    "the answer to be taken",
  );
  await session.untilSaid("succeeded");
  await session.untilIdle();

  await tabTo(app, session.message, "the composer");
  await keyboard.type("sleep");
  await keyboard.press("Enter");
  await session.untilSaid("Sleeping");
  await keyboard.press("Escape");
  await keyboard.press("Escape");
  await session.untilIdle();

  await tabTo(app, app.projects.getByRole("button", { name: "New session in demo" }), "New session", "Shift+Tab");
  await keyboard.press("Enter");
  const second = await chooseGuide(app);
  await keyboard.type("stream 2 words");
  await keyboard.press("Enter");
  await second.untilSaid("w1 w2");
  await keyboard.press("Alt+1");
  await app.tab("run echo by hand").and(app.activeTab).waitFor();
  await untilFocused(session.message, "the first composer");
  await keyboard.press("Alt+2");
  await app.tab("stream 2 words").and(app.activeTab).waitFor();
  await keyboard.press("Alt+w");
  await app.untilTabs("run echo by hand");

  await tabTo(app, app.tab("run echo by hand"), "the tab", "Shift+Tab");
  await keyboard.press("Delete");
  await app.page.getByText("No session open").waitFor();
  await tabTo(app, app.row("run echo by hand"), "the row");
  await keyboard.press("Enter");
  await untilFocused((await app.shownSession()).message, "the composer");
  const archive = app.projects.getByRole("button", { name: "Archive run echo by hand" });
  await tabTo(app, archive, "Archive", "Shift+Tab");
  await keyboard.press("Enter");
  await app.untilRows("stream 2 words");
  await expectSoon(() => app.tabTitles()).toEqual([]);
});

test("X-15 keys switch tabs from anywhere, and the tab strip follows the arrow keys", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const titles = ["stream 1 words", "stream 2 words", "stream 3 words"];
  for (const title of titles) await (await app.newSession("demo")).ask(title, "w1");
  const { keyboard } = app.page;
  await keyboard.press("Alt+1");
  await app.tab("stream 1 words").and(app.activeTab).waitFor();
  await untilFocused((await app.shownSession()).message, "the composer");
  await keyboard.press("Alt+3");
  await app.tab("stream 3 words").and(app.activeTab).waitFor();
  await untilFocused((await app.shownSession()).message, "the composer");
  await app.tab("stream 3 words").focus();
  await keyboard.press("ArrowRight");
  await app.tab("stream 1 words").and(app.activeTab).waitFor();
  await untilFocused(app.tab("stream 1 words"), "the tab");
  await keyboard.press("End");
  await app.tab("stream 3 words").and(app.activeTab).waitFor();
  await keyboard.press("Alt+w");
  await app.untilTabs("stream 1 words", "stream 2 words");
});

/** Presses Tab that often, and returns the name of the focused element after each. */
async function tabStops(app: AppPage, count: number): Promise<string[]> {
  const names: string[] = [];
  for (let press = 0; press < count; press += 1) {
    await app.page.keyboard.press("Tab");
    names.push(
      await app.page.evaluate<string>(
        `document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText`,
      ),
    );
  }
  return names;
}

test("X-15 (D9) a list is one Tab stop: arrows, Home and End move in it, and Tab leaves it", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const [one, two, three] = ["stream 1 words", "stream 2 words", "stream 3 words"] as const;
  for (const title of [one, two, three]) await (await app.newSession("demo")).ask(title, "w1");
  await app.untilRows(three, two, one);
  const { keyboard } = app.page;
  const project = app.projects.getByRole("button", { name: "demo", exact: true });

  // The first stop of all leads past everything.
  const first = app.page.locator("a[href], button, input, [tabindex='0']").first();
  await expectSoon(() => first.textContent()).toBe("Skip to session");
  await first.focus();
  await keyboard.press("Enter");
  await untilFocused((await app.shownSession()).message, "the composer");

  // Of the rows only the shown session's is a stop, with its own buttons; then the list is over.
  await project.focus();
  expect((await tabStops(app, 9)).slice(0, 8)).toEqual([
    ...["Show archived in demo", "Worktrees of demo", "Schedules of demo", "Remove demo", "New session in demo"],
    ...[three, `Archive ${three}`, `More actions for ${three}`],
  ]);
  await expectSoon(() => app.projects.getByRole("list").locator(":focus").count()).toBe(0);
  await app.row(three).focus();
  await keyboard.press("ArrowDown");
  await untilFocused(app.row(two), "the next row");
  await keyboard.press("End");
  await untilFocused(app.row(one), "the last row");
  expect((await tabStops(app, 1))[0]).toBe(`Archive ${one}`);
  await keyboard.press("Home");
  await untilFocused(project, "the project");
  await tabStops(app, 6);
  await untilFocused(app.row(one), "the row that had the focus last");

  // Tabs: one stop for the strip, one for the close button of the active tab.
  await app.tab(three).focus();
  expect((await tabStops(app, 2)).slice(0, 2)).toEqual([`Close ${three}`, "New session"]);

  // The overview's lists.
  await keyboard.press("Alt+o");
  const recent = app.page.getByRole("region", { name: "Recently active" });
  const cards = recent.getByRole("button", { name: /^stream/ });
  await cards.first().focus();
  await keyboard.press("ArrowDown");
  await untilFocused(cards.nth(1), "the second card");
  // The card, and its menu.
  await expectSoon(() => recent.locator("button:not([tabindex='-1'])").count()).toBe(2);
  expect(await axeViolations(app.page)).toEqual([]);
});

/** Esc closes the dialog, and the next key comes before its close event, as keys do when the page is busy. */
const CTRL_K_BEFORE_CLOSE_EVENT = `(async () => {
  document.querySelector("dialog[open]").requestClose();
  for (let step = 0; step < 5; step += 1) await null;
  dispatchEvent(new KeyboardEvent("keydown", { key: "k", code: "KeyK", ctrlKey: true, cancelable: true }));
})()`;

test("X-15 a dialog holds the focus, gives it back, and loses no key that follows; so does every page with Esc", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const opener = app.projects.getByRole("button", { name: "Remove demo" });
  await opener.focus();
  await app.page.keyboard.press("Enter");
  const dialog = app.page.getByRole("dialog");
  await dialog.waitFor();
  for (let step = 0; step < 8; step += 1) {
    await app.page.keyboard.press("Tab");
    const inside = await app.page.evaluate<boolean>(
      `document.activeElement === document.body || document.querySelector("dialog").contains(document.activeElement)`,
    );
    expect(inside).toBe(true);
  }
  await app.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await untilFocused(opener, "what had opened the dialog");
  await app.page.keyboard.press("Enter");
  await dialog.waitFor();
  await app.page.evaluate(CTRL_K_BEFORE_CLOSE_EVENT);
  await app.dialog("Command palette").waitFor();
  await app.page.keyboard.press("Escape");
  await app.dialog("Command palette").waitFor({ state: "detached" });

  const { message } = await app.newSession("demo");
  await untilFocused(message, "the composer");
  const openers = {
    Overview: "Overview",
    Usage: "Usage",
    Agents: "Agents",
    Worktrees: "Worktrees of demo",
    Schedules: "Schedules of demo",
  };
  for (const [title, name] of Object.entries(openers)) {
    await app.projects.getByRole("button", { name, exact: true }).click();
    const heading = app.page.getByRole("heading", { name: title, level: 1 });
    await untilFocused(heading, `the title of ${title}`);
    // As if the button that had the focus had gone.
    await heading.evaluate((element) => element.blur());
    await app.page.keyboard.press("Escape");
    await heading.waitFor({ state: "detached" });
    await untilFocused(message, `the composer after ${title}`);
  }
});

test("X-15 on a Mac keys are named by its signs, and chords with Option work although Option types signs", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server, { userAgent: MAC });
  await app.addProject(await server.directory("demo"));
  await (await app.newSession("demo")).ask("stream 1 words", "w1");
  const search = app.projects.getByRole("button", { name: "Search", exact: true });
  await expectSoon(() => search.getAttribute("title")).toContain("⇧⌘F");
  const session = await app.shownSession();
  await session.message.focus();
  // As a Mac reports Option+W.
  await session.message.evaluate((field) =>
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "∑", code: "KeyW", altKey: true, bubbles: true })),
  );
  await app.untilTabs();
});
