import { expect, test } from "bun:test";
import type { CDPSession } from "playwright-core";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { prepareSessions } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const ALT = 1;
const CTRL = 2;

/** A key as a keyboard of another country sends it: what it types, and where it is. */
interface LayoutKey {
  readonly key: string;
  readonly code: string;
  readonly modifiers?: number;
}

async function press(cdp: CDPSession, { key, code, modifiers = 0 }: LayoutKey): Promise<void> {
  for (const type of ["rawKeyDown", "keyUp"] as const)
    await cdp.send("Input.dispatchKeyEvent", { type, key, code, modifiers });
}

async function twoTabs(app: AppPage): Promise<void> {
  for (const title of ["first", "second"]) {
    await app.row(title).click();
    await app.tab(title).and(app.activeTab).waitFor();
    const { message } = await app.shownSession();
    await message.focus();
    await waitFor(
      () => message.evaluate((field) => field.ownerDocument.activeElement === field && field.ownerDocument.hasFocus()),
      Boolean,
      "the focus in the composer",
    );
  }
}

test("X-15 shortcuts work on Cyrillic, Greek, Arabic, French and German keyboards, also in the composer (D1)", async () => {
  await using server = await startTestServer();
  await prepareSessions(server, "demo", ["first", "second"]);
  await using app = await chromium.open(server);
  await twoTabs(app);
  const cdp = await app.page.context().newCDPSession(app.page);
  const palette = app.page.getByRole("dialog").filter({ has: app.page.getByRole("combobox") });
  for (const key of ["л", "κ", "ن"]) {
    await press(cdp, { key, code: "KeyK", modifiers: CTRL });
    await palette.waitFor();
    await app.page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
  }
  await press(cdp, { key: "&", code: "Digit1", modifiers: CTRL });
  await app.tab("first").and(app.activeTab).waitFor();
  await press(cdp, { key: "é", code: "Digit2", modifiers: ALT });
  await app.tab("second").and(app.activeTab).waitFor();
  // A French Alt+Z lies where a US keyboard has W: it closes nothing.
  await press(cdp, { key: "z", code: "KeyW", modifiers: ALT });
  await press(cdp, { key: "#", code: "Backslash", modifiers: ALT });
  await waitFor(
    () => app.page.locator("iframe[data-session-id]:visible").count(),
    (count) => count === 2,
    "two columns",
  );
  await expectSoon(() => app.tabTitles()).toEqual(["first", "second"]);
});

test("X-15 a key can be changed: conflicts are named, hints show the new key, and it works in a session too (D1)", async () => {
  await using server = await startTestServer();
  await prepareSessions(server, "demo", ["first"]);
  await using app = await chromium.open(server);
  const { keyboard } = app.page;
  const sheet = app.dialog("Keyboard shortcuts");
  const change = () => sheet.getByRole("button", { name: "Change keys: Overview and inbox" }).click();
  await app.page.getByRole("button", { name: "Settings" }).click();
  await app.dialog("Settings").getByRole("button", { name: "Keyboard shortcuts…" }).click();
  await change();
  await keyboard.press("Alt+w");
  await sheet.getByText("Alt+W is already used for “Close tab”.").waitFor();
  await keyboard.press("Control+t");
  await sheet.getByText("The browser reserves Ctrl+T. Choose another key.").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await keyboard.press("Escape");
  await expectSoon(() => sheet.isVisible()).toBe(true);
  await change();
  await keyboard.press("Control+Shift+y");
  await sheet.getByRole("button", { name: "Reset keys: Overview and inbox" }).waitFor();
  await keyboard.press("Escape");
  await sheet.waitFor({ state: "hidden" });

  const row = app.page.getByRole("button", { name: "Overview", exact: true });
  await expectSoon(() => row.getAttribute("title")).toContain("(Ctrl+Shift+Y)");
  await app.row("first").click();
  await (await app.shownSession()).message.press("Control+Shift+Y");
  await waitFor(
    () => row.getAttribute("aria-current"),
    (current) => current === "page",
    "the overview",
  );
  await app.refresh();
  await keyboard.press("o");
  await expectSoon(() => row.getAttribute("title")).toContain("(Ctrl+Shift+Y)");
  await keyboard.press("?");
  await sheet.getByRole("button", { name: "Reset all keys" }).click();
  await waitFor(
    () => row.getAttribute("title"),
    (title) => title?.includes("(O)") === true,
    "the key of the table",
  );
});

test("X-15 what a key does in a session and among tabs, the palette does too (D1)", async () => {
  await using server = await startTestServer();
  await prepareSessions(server, "demo", ["first", "second"]);
  await using app = await chromium.open(server);
  await twoTabs(app);
  await app.page.keyboard.press("Control+k");
  await app.page.getByRole("combobox").fill(">");
  const names = await app.page.getByRole("option").allInnerTexts();
  for (const words of [
    "Next tab",
    "Previous tab",
    "Move tab right",
    "Move tab left",
    "Find in session",
    "Your previous message",
    "Your next message",
    "First message",
    "Latest message",
    "Stop the agent",
  ])
    expect([words, names.some((name) => name.includes(words))]).toEqual([words, true]);
  await app.page.getByRole("combobox").fill(">Previous tab");
  await app.page.keyboard.press("Enter");
  await app.tab("first").and(app.activeTab).waitFor();
});
