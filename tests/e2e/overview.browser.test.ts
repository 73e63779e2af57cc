import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { z } from "zod";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { prepareSessions } from "./open-sessions.ts";
import { textIn } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const Told = z.array(z.object({ title: z.string(), body: z.string(), stays: z.boolean() }));
/** The browser's own notifications, and a note of each. */
const NOTE_NOTIFICATIONS = `globalThis.told = [];
  globalThis.Notification = class extends Notification {
    // The headless shell cannot ask a user, and so denies.
    static permission = "granted";
    static requestPermission = async () => "granted";
    constructor(title, options) {
      super(title, options);
      told.push({ title, body: options.body, stays: options.requireInteraction });
      globalThis.newest = this;
    }
  };`;

function inboxOf(app: AppPage): Locator {
  return app.page.getByRole("region", { name: "Inbox" });
}

function iconOf(app: AppPage): Promise<string> {
  return app.page.evaluate<string>("decodeURIComponent(document.querySelector('link[rel=icon]').href)");
}

/** Presses a key until something is so: a request that has only just come up does not answer to keys for a moment. */
async function pressUntil(app: AppPage, key: string, isReached: () => Promise<boolean>, what: string): Promise<void> {
  await waitFor(
    async () => {
      if (await isReached()) return true;
      await app.page.keyboard.press(key);
      return isReached();
    },
    Boolean,
    what,
  );
}

for (const theme of ["dark", "light"] as const) {
  test(`X-11 X-22 (${theme}) two sessions wait: counted in title, mark and sidebar, answered in place by keyboard`, async () => {
    await using server = await startTestServer();
    const titles = ["Calm", "Wants to run", "Wants to know", "Sleeps", "Fails"];
    const { say } = await prepareSessions(server, "demo", titles);
    await using app = await chromium.open(server, { theme });
    await app.open("Calm");
    await expectSoon(() => iconOf(app)).not.toContain("<text");
    await say("Sleeps", "sleep");
    await say("Fails", "fail");
    await say("Wants to run", "run echo by hand");
    await app.untilWindowTitle(/^\(1\) Calm · /);
    await say("Wants to know", "ask");
    await app.untilWindowTitle(/^\(2\) Calm · /);
    await expectSoon(() => iconOf(app)).toContain(">2</text>");
    await app.untilRowSays("Fails", "failed");
    await app.untilRowSays("Sleeps", "working");
    const row = app.projects.getByRole("button", { name: "Overview" });
    await expectSoon(() => row.getAttribute("aria-description")).toBe("1 working, 2 waiting for you, 1 failed");

    await app.page.keyboard.press("Alt+o");
    await app.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    const inbox = inboxOf(app);
    await inbox.getByText("echo by hand").waitFor();
    await inbox.getByText("A few questions").waitFor();
    const failed = app.page.getByRole("region", { name: "Failed" });
    await failed.getByRole("button", { name: "Fails", exact: true }).waitFor();
    await app.page
      .getByRole("region", { name: "Working" })
      .getByText(/pid \d+/)
      .waitFor();
    expect(await axeViolations(app.page)).toEqual([]);

    const asked = inbox.getByRole("group", { name: "Permission request" });
    await pressUntil(app, "a", async () => (await asked.count()) === 0, "the command to be allowed");
    expect(app.sent("permission:respond")).toHaveLength(1);
    await app.untilRowSays("Wants to run", /unread/);
    await app.untilWindowTitle(/^\(1\) Overview/);

    const question = inbox.getByRole("group", { name: "Question", exact: true });
    await pressUntil(app, "Enter", () => question.isVisible(), "the question to open");
    const name = question.getByRole("textbox", { name: "Your name" });
    await waitFor(() => name.evaluate((field) => field === document.activeElement), Boolean, "the cursor in the form");
    expect(await axeViolations(app.page)).toEqual([]);
    await app.page.keyboard.type("Ada");
    await question.getByRole("textbox", { name: "Email" }).focus();
    await app.page.keyboard.type("ada@example.com");
    // A form that has just moved, because something above it went, takes no answer for a moment.
    await pressUntil(app, "Enter", async () => (await question.count()) === 0, "the answer to be taken");
    await inbox.getByText("Nothing is waiting for you.").waitFor();
    await app.untilWindowTitle(/^Overview/);
    await expectSoon(() => iconOf(app)).not.toContain("<text");

    await app.page.keyboard.press("Escape");
    await app.tab("Calm").and(app.activeTab).waitFor();
    await app.page.keyboard.press("Alt+o");
    await app.page
      .getByRole("region", { name: "Working" })
      .getByRole("button", { name: "Sleeps", exact: true })
      .press("Enter");
    await app.tab("Sleeps").and(app.activeTab).waitFor();
  });
}

test("(D10) the card of a finished session quotes how its last answer ends", async () => {
  await using server = await startTestServer();
  const { say } = await prepareSessions(server, "demo", ["Calm", "Counts"]);
  await using app = await chromium.open(server);
  await app.open("Calm");
  await say("Counts", "stream 3 words");
  await app.untilRowSays("Counts", /unread/);
  await app.page.keyboard.press("Alt+o");
  const card = app.page.getByRole("region", { name: "Recently active" }).locator("li", { hasText: "Counts" });
  await card.getByText("w1 w2 w3").waitFor();
  await say("Counts", "stream 5 words");
  await card.getByText("w4 w5").waitFor();
});

test("X-22 (S6) in the inbox a double click answers one request, and not the one that moves into its place", async () => {
  await using server = await startTestServer();
  const { say } = await prepareSessions(server, "demo", ["Calm", "One", "Two", "Three"]);
  await using app = await chromium.open(server);
  await app.open("Calm");
  for (const title of ["One", "Two", "Three"]) {
    await say(title, `run echo ${title}`);
    await app.untilRowSays(title, "waiting for you");
  }
  await app.page.keyboard.press("Alt+o");
  const requests = inboxOf(app).getByRole("group", { name: "Permission request" });
  const button = requests.first().getByRole("button", { name: "Allow once", exact: true });
  await waitFor(
    () => button.getAttribute("aria-disabled"),
    (state) => state === "false",
    "the request to be answerable",
  );
  const box = await button.boundingBox();
  if (box === null) throw new Error("the button is not drawn");
  const point = [box.x + box.width / 2, box.y + box.height / 2] as const;
  // While the page's clock does not move, nothing settles.
  await app.page.evaluate("{ const at = performance.now(); performance.now = () => at; }");
  await app.page.mouse.dblclick(...point);
  await waitFor(
    () => requests.count(),
    (count) => count === 2,
    "the first request to go",
  );
  await app.page.mouse.click(...point);
  expect(app.sent("permission:respond")).toHaveLength(1);
  await app.page.evaluate("{ delete performance.now; }");
  await button.click();
  await waitFor(
    () => requests.count(),
    (count) => count === 1,
    "the second request to go",
  );
  expect(app.sent("permission:respond")).toHaveLength(2);
});

test("X-22 the next session that waits is one key away, again and again", async () => {
  await using server = await startTestServer();
  const { say } = await prepareSessions(server, "demo", ["Calm", "One", "Two"]);
  await using app = await chromium.open(server);
  await app.open("Calm");
  await say("One", "run true");
  await app.untilRowSays("One", "waiting for you");
  await say("Two", "run true");
  await app.untilRowSays("Two", "waiting for you");
  for (const title of ["One", "Two", "One"]) {
    await app.page.keyboard.press("Alt+n");
    await app.tab(title).and(app.activeTab).waitFor();
  }
});

test("X-11 settings: theme at once, what an agent may do, and notifications of what is not in view", async () => {
  await using server = await startTestServer();
  const { say } = await prepareSessions(server, "demo", ["In view", "Elsewhere"]);
  await using app = await chromium.open(server);
  await app.page.context().grantPermissions(["notifications"], { origin: server.origin });
  await app.page.addInitScript(NOTE_NOTIFICATIONS);
  await app.refresh();
  await app.open("In view");
  await app.page.keyboard.press("Control+,");
  const settings = app.dialog("Settings");
  await settings.getByText(server.dataDir).waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await settings.getByRole("radio", { name: "Light" }).check();
  await expectSoon(() => app.page.evaluate<string>("document.documentElement.dataset.theme")).toBe("light");
  expect(await axeViolations(app.page)).toEqual([]);
  await settings.getByRole("combobox", { name: "Notify me when I'm away" }).selectOption("all");
  const mode = settings.getByRole("combobox", { name: "Permissions of Liminal Guide" });
  await mode.selectOption("edits");
  await waitFor(
    () => mode.inputValue(),
    (value) => value === "edits",
    "the mode to be kept",
  );
  await app.page.keyboard.press("Escape");
  await settings.waitFor({ state: "hidden" });

  await say("In view", "run true");
  await app.untilWindowTitle(/^\(1\)/);
  await say("Elsewhere", "run true");
  const told = await waitFor(
    async () => Told.parse(await app.page.evaluate("told")),
    (all) => all.length > 0,
    "a notification",
  );
  expect(told).toEqual([{ title: "Liminal Guide is waiting for you", body: "Elsewhere", stays: true }]);
  await app.page.evaluate("newest.onclick()");
  await app.tab("Elsewhere").and(app.activeTab).waitFor();
  await expectSoon(async () => textIn((await app.shownSession()).permission)).toContain("Run this command?");
});
