import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { EntryId } from "../../src/protocol/ids.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { answerAt, seedLongSession } from "./seed-long-session.ts";
import { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const LONG = 20_000;
const FAR_BACK = 900;

function resultsIn(dialog: Locator): Locator {
  return dialog.getByRole("listbox", { name: "Results" });
}

async function openSearch(app: AppPage): Promise<{ field: Locator; options: Locator; dialog: Locator }> {
  await app.page.keyboard.press("Control+Shift+F");
  const dialog = app.dialog("Search");
  const field = dialog.getByRole("combobox", { name: "Search all sessions" });
  await field.waitFor();
  return { dialog, field, options: resultsIn(dialog).getByRole("option") };
}

/** What was found has the keyboard's place; its mark fades after a moment, so a slow machine may miss it. */
const FOUND = "article:focus";

/** Waits until an entry lies in the view of its transcript, and gives how many entries are in the page. */
async function untilInView(view: SessionView, entryId: string): Promise<number> {
  const entry = view.transcript.locator(`article[data-entry-id="${entryId}"]`);
  await entry.waitFor();
  await waitFor(
    async () => ({ entry: await entry.boundingBox(), log: await view.transcript.boundingBox() }),
    ({ entry: at, log }) => at !== null && log !== null && at.y >= log.y && at.y < log.y + log.height,
    `${entryId} to be in view`,
  );
  return view.transcript.locator("article").count();
}

test("X-10 by keyboard alone: search from the composer, walk through the results, open one, and read what was found", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await (await app.newSession("demo")).ask("apricot stands in the first session", "help");
  await (await app.newSession("demo")).ask("stream 5 words", "w5");
  const { dialog, field, options } = await openSearch(app);
  await field.pressSequentially("apri");
  await dialog
    .getByRole("status")
    .getByText(/^\d+ results? in 1 session$/)
    .waitFor();
  const titles = await options.allInnerTexts();
  expect(titles.some((text) => text.includes("apricot"))).toBe(true);
  await field.press("ArrowDown");
  await field.press("ArrowUp");
  const wanted = options.filter({ hasText: "You" });
  const chosen = dialog.locator('[role="option"][aria-selected="true"]');
  for (let step = 0; step < titles.length && !((await chosen.textContent()) ?? "").startsWith("You"); step += 1)
    await field.press("ArrowDown");
  await expectSoon(() => wanted.getAttribute("aria-selected")).toBe("true");
  await field.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await app.tab("apricot stands in the first session").and(app.activeTab).waitFor();
  const session = await app.shownSession();
  const entry = session.entries("user").and(session.transcript.locator(FOUND));
  await entry.getByText("apricot").waitFor();
  await session.frame.locator("article:focus").waitFor();
});

test("X-10 the dialog opens from the sidebar, narrows down by its filters, and reports hits, no hits and errors", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await app.addProject(await server.directory("other"));
  await (await app.newSession("demo")).ask("mulberry", "help");
  await (await app.newSession("other")).ask("mulberry pie", "help");
  await app.projects.getByRole("button", { name: "Search", exact: true }).click();
  const dialog = app.dialog("Search");
  const field = dialog.getByRole("combobox", { name: "Search all sessions" });
  const groups = resultsIn(dialog).getByRole("group");
  const status = dialog.getByRole("status");
  await dialog.getByText("Searches titles, messages").waitFor();
  await field.fill("mulberry");
  await status.getByText("in 2 sessions").waitFor();
  await expectSoon(() => groups.count()).toBe(2);
  await dialog.getByRole("combobox", { name: "Project", exact: true }).selectOption("other");
  await status.getByText("in 1 session").waitFor();
  await dialog.getByRole("combobox", { name: "Kind", exact: true }).selectOption("Titles");
  await status.getByText("1 result in 1 session").waitFor();
  await expectSoon(() => resultsIn(dialog).getByRole("option").textContent()).toContain("mulberry pie");
  await dialog.getByLabel("To", { exact: true }).fill("2001-01-01");
  await dialog.getByText("Try fewer or shorter words").waitFor();
  await dialog.getByLabel("To", { exact: true }).fill("");
  await field.fill('"');
  await dialog.getByText("Try fewer or shorter words").waitFor();
  await field.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await expectSoon(() => app.page.evaluate<string>("document.activeElement.textContent")).toContain("Search");
});

test("X-10 an archived hit is found when asked for, and opening it brings its session back", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await (await app.newSession("demo")).ask("gooseberry", "help");
  await app.archive("gooseberry");
  await app.untilRows();
  const { dialog, field, options } = await openSearch(app);
  await field.fill("gooseberry");
  await dialog.getByRole("button", { name: "Include archived sessions" }).click();
  await options.filter({ hasText: "You" }).click();
  await app.untilTabs("gooseberry");
  await app.untilRows("gooseberry");
  const session = await app.shownSession();
  await session.transcript.locator(FOUND).getByText("gooseberry").waitFor();
});

test("X-10 X-3 a hit 19,000 entries back comes into view, exactly that one, with only what is near it in the page", async () => {
  const seeded: { id?: string } = {};
  await using server = await startTestServer({
    prepare: async (dataDir) => {
      const path = join(dataDir, "..", "work", "long");
      await mkdir(path, { recursive: true });
      const words = (place: number) =>
        `Answer ${place}: ${"some words to fill a line or two ".repeat((place % 7) + 1)}`;
      seeded.id = await seedLongSession(dataDir, path, {
        title: "A long story",
        entryCount: LONG,
        entryAt: (place) =>
          place === FAR_BACK + 1
            ? {
                type: "tool-call",
                entryId: EntryId.parse(`e${place}`),
                toolCallId: "far",
                name: "Read",
                status: "complete",
                content: "",
                result: "the quicksilver line",
              }
            : answerAt(place, place === FAR_BACK ? "Here is the **hippogriff** at last" : words(place)),
      });
    },
  });
  await using app = await chromium.open(server);
  const view = new SessionView(app.page, seeded.id ?? "");
  const search = await openSearch(app);
  await search.field.fill("hippogriff");
  await search.options.first().waitFor();
  await search.field.press("Enter");
  const count = await untilInView(view, `e${FAR_BACK}`);
  expect(count).toBeLessThan(400);
  expect(app.sent("session:page").length).toBeLessThanOrEqual(8);
  await view.transcript.locator(`article[data-entry-id="e${FAR_BACK}"]:focus`).waitFor();
  await view.button("Jump to latest").click();
  await untilInView(view, `e${LONG - 1}`);

  const again = await openSearch(app);
  await again.field.fill("quicksilver");
  await again.options.first().waitFor();
  await again.field.press("Enter");
  await untilInView(view, `e${FAR_BACK + 1}`);
  await view.transcript.getByText("the quicksilver line").waitFor();
});
