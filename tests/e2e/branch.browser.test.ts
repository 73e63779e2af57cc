import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { openChat } from "./open-sessions.ts";
import { SessionView, textIn } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ agents: { second: { ...guideWith(), name: "Second" } } });
});
afterAll(() => server[Symbol.asyncDispose]());

/** The session that is shown now and was not before. */
async function shownAfter(app: AppPage, before: SessionView): Promise<SessionView> {
  const other = app.page.locator(`iframe[data-session-id]:visible:not([data-session-id="${before.id}"])`);
  await other.waitFor();
  return new SessionView(app.page, (await other.getAttribute("data-session-id")) ?? "");
}

/** Shown again, and the entry that was gone back to has the keyboard. */
async function isBackIn(session: SessionView): Promise<void> {
  await session.iframe.waitFor({ state: "visible" });
  await session.frame.locator("article:focus").waitFor();
}

test("CV-10 CV-16 a branch from a message opens beside its source, shows its origin and its agent's context pack", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.ask("stream 3 words", "w1 w2 w3");
  const branch = session.entries("assistant").first().getByRole("button", { name: "Branch from here" });
  await branch.focus();
  await branch.press("Enter");
  const made = await shownAfter(app, session);
  await made.entries("assistant").first().getByText("w1 w2 w3").waitFor();
  await made.ask("stream 2 words", "w1 w2");
  const told = made.entries("user").nth(1).getByRole("button", { name: "The agent was told 1 turn" });
  await told.waitFor();
  // Everything above the line is the source's.
  const began = made.entries("assistant").first().getByText("Branched here", { exact: true });
  await began.waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await told.click();
  const text = app.dialog("What the agent was told");
  await text.getByText("# The conversation so far").waitFor();
  await expectSoon(() => textIn(text)).toContain("w1 w2 w3");
  await app.page.keyboard.press("Escape");
  await text.waitFor({ state: "detached" });
  const from = made.frame.getByRole("button", { name: /^Branch from stream 3 words/ });
  await expectSoon(() => from.getAttribute("title")).toContain("is told what was said before");
  await from.click();
  await isBackIn(session);

  // At the point: the one branch is opened, of two there is a list.
  const answer = session.entries("assistant").first();
  await answer.getByRole("button", { name: "1 branch: open stream 3 words" }).press("Enter");
  await made.iframe.waitFor({ state: "visible" });
  await from.click();
  await isBackIn(session);
  await branch.press("Enter");
  const second = await shownAfter(app, session);
  await second.frame.getByRole("button", { name: "1 branch: open stream 3 words" }).press("Enter");
  await made.iframe.waitFor({ state: "visible" });
  await from.click();
  await isBackIn(session);
  const chip = answer.getByRole("button", { name: "2 branches" });
  await chip.press("Enter");
  const menu = session.frame.getByRole("menu", { name: "Branches from here" });
  await expectSoon(() => menu.getByRole("menuitem").count()).toBe(2);
  expect(await axeViolations(app.page)).toEqual([]);
  // Not whichever has the keyboard: the entry that was gone back to takes it as late as a busy machine likes.
  await menu.getByRole("menuitem").first().press("Escape");
  await menu.waitFor({ state: "detached" });
  await expectSoon(() => chip.getAttribute("aria-expanded")).toBe("false");
  await chip.press("Enter");
  await menu.getByRole("menuitem").first().press("End");
  await menu.getByRole("menuitem").nth(1).press("Enter");
  await second.iframe.waitFor({ state: "visible" });
});

test("CV-10 an edited message goes into a branch with Enter, and the source keeps its own", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.ask("stream 1 words", "w1");
  await session.ask("stream 2 words", "w2");
  const edit = session.entries("user").nth(1).getByRole("button", { name: "Edit and resend" });
  await edit.focus();
  await edit.press("Enter");
  const field = session.frame.getByRole("textbox", { name: "Edited message" });
  await expectSoon(() => field.inputValue()).toBe("stream 2 words");
  expect(await axeViolations(app.page)).toEqual([]);
  await field.fill("stream 4 words");
  await field.press("Enter");
  const made = await shownAfter(app, session);
  await made.untilSaid("w1 w2 w3 w4");
  await expectSoon(() => made.entries("user").count()).toBe(2);
  await expectSoon(() => made.entries("user").nth(1).getByText("stream 4 words").count()).toBe(1);

  // Before the first message nothing is in common: the chip is above it.
  await made.frame.getByRole("button", { name: /^Branch from stream 1 words/ }).click();
  await isBackIn(session);
  await session.entries("user").first().getByRole("button", { name: "Edit and resend" }).press("Enter");
  await field.fill("stream 5 words");
  await field.press("Enter");
  const other = await shownAfter(app, session);
  await other.untilSaid("w5");
  await other.frame.getByRole("button", { name: /^Branch from stream 1 words/ }).click();
  await session.iframe.waitFor({ state: "visible" });
  await session.entries("user").first().locator("> .branch-point:first-child button").waitFor();
  const chips = session
    .entries("assistant")
    .first()
    .getByRole("button", { name: /^1 branch:/ });
  await expectSoon(() => chips.count()).toBe(1);
});

test("CV-15 Continue with… hands a session over to another agent, at 390 pixels as well", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.ask("stream 3 words", "w1 w2 w3");
  await session.message.press("Alt+h");
  const dialog = app.dialog("Continue “stream 3 words” with…");
  await dialog.getByText("it gets 1 turn").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).press("Enter");
  await dialog.waitFor({ state: "detached" });
  await session.frame.getByRole("button", { name: /^Agent: / }).press("Enter");
  await session.frame.getByRole("menuitem", { name: "Continue with…" }).press("Enter");
  await dialog.getByText("it gets 1 turn").waitFor();
  await dialog.getByRole("combobox", { name: "Agent" }).selectOption({ label: "Second" });
  await dialog.getByText("What Second is told").click();
  await app.page.setViewportSize({ width: 390, height: 800 });
  expect(await axeViolations(app.page)).toEqual([]);
  await expectSoon(() => dialog.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  await dialog.getByRole("textbox", { name: "First message (optional)" }).fill("stream 2 words");
  await dialog.getByRole("button", { name: "Continue with Second" }).click();
  const made = await shownAfter(app, session);
  await made.untilSaid("w1 w2");
  await made.frame.getByRole("button", { name: "The agent was told 1 turn" }).waitFor();
  await made
    .entries("assistant")
    .first()
    .getByText(/^Branched here · .+ → Second$/)
    .waitFor();
});
