import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { z } from "zod";
import { expectSoon } from "../support/expect-soon.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { type AppPage, GUIDE } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { picturesOf } from "./pictures.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

const Hands = z.object({ clicks: z.number(), enters: z.number(), others: z.number() });

/** Counts what the browser itself reports of mouse and keyboard from now on, from any cause. */
async function watchHands(page: Page): Promise<() => Promise<z.infer<typeof Hands>>> {
  await page.evaluate(`window.hands = { clicks: 0, enters: 0, others: 0 };
    addEventListener("pointerdown", ({ isTrusted }) => { if (isTrusted) window.hands.clicks += 1; }, true);
    addEventListener("keydown", ({ isTrusted, key }) => {
      if (isTrusted) window.hands[key === "Enter" ? "enters" : "others"] += 1;
    }, true);`);
  return async () => Hands.parse(await page.evaluate("window.hands"));
}

/** Presses N outside the session, once its composer has taken the focus that comes with it. */
async function pressN(app: AppPage): Promise<Locator> {
  const { message: composer } = await app.shownSession();
  await waitFor(
    () => composer.evaluate((field) => field.ownerDocument.activeElement === field && field.ownerDocument.hasFocus()),
    Boolean,
    "the focus in the composer",
  );
  await app.page.getByRole("main").focus();
  await app.page.keyboard.press("n");
  const form = app.dialog("New session");
  await form.waitFor();
  return form;
}

const message = (app: AppPage) => app.page.getByRole("textbox", { name: "First message" });

test("[X-30] the first minute: from the first page to the first answer in two clicks and one Enter", async () => {
  await using server = await startTestServer();
  await mkdir(join(server.home, "atlas", "api"), { recursive: true });
  await using app = await chromium.open(server);
  const picture = picturesOf(app.page);
  await app.page.getByRole("option", { name: "atlas" }).waitFor();
  await app.page.getByRole("radio", { name: GUIDE, checked: true }).waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await picture("first page");
  const hands = await watchHands(app.page);
  await app.page.getByRole("button", { name: /Tell me what you can do/ }).click();
  await waitFor(
    () => message(app).inputValue(),
    (text) => text === "help",
    "the example in the message",
  );
  await picture("example chosen");
  await app.page.getByRole("option", { name: "atlas" }).click();
  await app.page.getByRole("option", { name: "api" }).waitFor();
  await picture("directory chosen");
  await app.page.keyboard.press("Enter");
  const session = await app.shownSession();
  await session.untilSaid("Try these first");
  await picture("first answer");
  const { clicks, enters, others } = await hands();
  expect({ clicks, enters, others }).toEqual({ clicks: 2, enters: 1, others: 0 });
  await expectSoon(() => app.projectNames()).toEqual(["atlas"]);

  // From there on N, the message and Enter are enough; the message that was sent is not a draft any more.
  const form = await pressN(app);
  await expectSoon(() => message(app).inputValue()).toBe("");
  // With one project, too, it shows where the session works, and offers another place.
  const project = form.getByRole("combobox", { name: "Project", exact: true });
  await expectSoon(() => project.locator("option").allTextContents()).toEqual(["atlas", "Another directory…"]);
  expect(await axeViolations(app.page)).toEqual([]);
  await picture("new session");
  await app.page.keyboard.type("stream 3 words");
  await app.page.keyboard.press("Enter");
  await form.waitFor({ state: "hidden" });
  await (await app.shownSession()).untilSaid("w1 w2 w3");
});

test("[X-31] one screen: the last agent is chosen, its model is set there, a draft stays over Esc, and a directory is refused in place", async () => {
  const other = { ...guideWith(), name: "Another Guide" };
  await using server = await startTestServer({ agents: { other } });
  await using app = await chromium.open(server);
  const picture = picturesOf(app.page);
  await app.page.getByRole("option").first().or(app.page.getByText("Nothing is copied")).first().waitFor();
  // Without a directory nothing starts, and what was typed stays.
  await message(app).fill("stream 1 words");
  await message(app).press("Enter");
  await app.page.getByRole("alert").getByText("Choose the directory that the agent works in.").waitFor();
  await app.page.getByRole("textbox", { name: "Directory" }).fill("/nowhere/at/all");
  await app.page.keyboard.press("Enter");
  await app.page.getByRole("alert").getByText("That directory doesn't exist.").waitFor();
  await picture("refused");
  await expectSoon(() => message(app).inputValue()).toBe("stream 1 words");
  await app.page.getByRole("textbox", { name: "Directory" }).fill(await server.directory("demo"));
  await app.page.getByRole("radio", { name: "Another Guide" }).click();
  await message(app).press("Enter");
  await (await app.shownSession()).untilSaid("w1");

  const form = await pressN(app);
  await form.getByRole("radio", { name: "Another Guide", checked: true }).waitFor();
  const mode = form.getByRole("combobox", { name: "Permissions of Another Guide" });
  await mode.waitFor();
  await mode.selectOption({ index: 1 });
  const chosen = (await mode.locator("option:checked").textContent()) ?? "";
  await message(app).fill("stream 2 words");
  await picture("mode chosen");
  await app.page.keyboard.press("Escape");
  await form.waitFor({ state: "hidden" });
  await app.page.getByRole("main").focus();
  await app.page.keyboard.press("n");
  await form
    .getByRole("combobox", { name: "Permissions of Another Guide" })
    .getByRole("option", { name: chosen, selected: true })
    .waitFor({ state: "attached" });
  await expectSoon(() => message(app).inputValue()).toBe("stream 2 words");
  await message(app).press("Enter");
  await form.waitFor({ state: "hidden" });
  const session = await app.shownSession();
  await session.untilSaid("w1 w2");
  await session.frame.getByText(chosen, { exact: true }).first().waitFor({ state: "attached" });
});
