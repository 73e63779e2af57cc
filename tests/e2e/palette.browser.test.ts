import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { prepareSessions } from "./open-sessions.ts";
import { textIn } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

async function untilFocused(place: Locator, what: string): Promise<void> {
  const isFocused = () => place.evaluate((element) => element.ownerDocument.activeElement === element);
  await waitFor(isFocused, Boolean, `the focus on ${what}`);
}

/** Opens the palette by key, types, and waits until Enter would take the entry of that name. */
async function aim(app: AppPage, typed: string, name: string | RegExp): Promise<Locator> {
  await app.page.keyboard.press("Control+k");
  const palette = app.dialog("Command palette");
  await untilFocused(palette.getByRole("combobox", { name: "Search or run a command" }), "the palette's field");
  await app.page.keyboard.type(typed);
  await palette.getByRole("option", { name, selected: true }).waitFor();
  return palette;
}

async function run(app: AppPage, typed: string, name: string | RegExp): Promise<void> {
  const palette = await aim(app, typed, name);
  await app.page.keyboard.press("Enter");
  await palette.waitFor({ state: "hidden" });
}

test("X-15 the palette by keyboard alone, from inside a session: another session, rename, theme, archive, search", async () => {
  await using server = await startTestServer();
  await prepareSessions(server, "demo", ["Apricot jam", "Backoff for webhooks"]);
  await using app = await chromium.open(server);
  const first = await app.open("Apricot jam");
  await untilFocused(first.message, "the first composer");

  const palette = await aim(app, "bakoff", /^Backoff for webhooks/);
  await expectSoon(() => textIn(palette.getByRole("option", { selected: true }))).toContain("demo · Liminal Guide");
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.keyboard.press("Escape");
  await palette.waitFor({ state: "hidden" });
  await untilFocused(first.message, "where the palette was opened");

  await run(app, "bakoff", /^Backoff for webhooks/);
  await app.tab("Backoff for webhooks").and(app.activeTab).waitFor();
  await untilFocused((await app.shownSession()).message, "the second composer");

  await run(app, "rename", /^Rename/);
  const field = app.projects.getByRole("textbox", { name: "New title of Backoff for webhooks" });
  await untilFocused(field, "the title");
  await app.page.keyboard.type("Jitter");
  await app.page.keyboard.press("Enter");
  await app.tab("Jitter").waitFor();

  await run(app, "> theme light", /^Theme: light/);
  await expectSoon(() => app.page.evaluate<string>("document.documentElement.dataset.theme")).toBe("light");
  await run(app, "archive", /^Archive/);
  await app.untilTabs("Apricot jam");

  await run(app, "zebra", "Search all sessions for “zebra”");
  const search = app.dialog("Search").getByRole("combobox", { name: "Search all sessions" });
  await untilFocused(search, "the search");
  await expectSoon(() => search.inputValue()).toBe("zebra");
});

test("X-15 the sheet shows every key, and a closed tab can be reopened", async () => {
  await using server = await startTestServer();
  await prepareSessions(server, "demo", ["Apricot jam"]);
  await using app = await chromium.open(server);
  await app.open("Apricot jam");
  await app.page.keyboard.press("Control+/");
  const sheet = app.dialog("Keyboard shortcuts");
  await sheet.getByText("Next session waiting for you").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.keyboard.press("Escape");
  await sheet.waitFor({ state: "hidden" });

  await app.page.keyboard.press("Alt+w");
  await app.page.getByText("No session open").waitFor();
  await app.page.keyboard.press("Alt+Shift+T");
  await app.untilTabs("Apricot jam");
  await untilFocused((await app.shownSession()).message, "the composer");
});

for (const theme of ["dark", "light"] as const) {
  test(`X-15 axe finds nothing in the ${theme} theme: search, the menu of a row, archived sessions`, async () => {
    await using server = await startTestServer();
    const { client, ids, say } = await prepareSessions(server, "demo", ["Apricot jam", "Backoff for webhooks"]);
    await say("Apricot jam", "apricot is a fruit");
    const sessionId = ids.get("Backoff for webhooks");
    if (sessionId === undefined) throw new Error("no such session");
    await client.ask("session:archived", { type: "session:archive", sessionId });
    await using app = await chromium.open(server, { theme });
    await app.untilRowSays("Apricot jam", "unread");
    await app.page.keyboard.press("Control+Shift+F");
    await app.dialog("Search").getByRole("combobox", { name: "Search all sessions" }).fill("apricot");
    await app.dialog("Search").getByRole("listbox", { name: "Results" }).getByRole("option").first().waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
    await app.page.keyboard.press("Escape");
    await app.dialog("Search").waitFor({ state: "hidden" });

    await app.row("Apricot jam").hover();
    await app.projects.getByRole("button", { name: "More actions for Apricot jam" }).click();
    await app.page.getByRole("menu").waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
    await app.page.keyboard.press("Escape");

    await app.project("demo").hover();
    await app.projects.getByRole("button", { name: /archived/i }).click();
    await app.projects.getByText("Backoff for webhooks").waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
  });
}
