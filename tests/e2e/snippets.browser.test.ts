import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { axeViolations } from "./axe-violations.ts";
import { openChat } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test("CV-53 a message is saved as a snippet, offered after a slash, and sent as typed text", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.ask("stream 2 words", "w2");
  await session.untilIdle();
  const said = session.entries("user").first();
  await said.hover();
  await said.getByRole("button", { name: "Save as snippet" }).click();
  const dialog = app.page.getByRole("dialog", { name: "Save as snippet" });
  await expectSoon(() => dialog.getByLabel("Name, typed after /").inputValue()).toBe("stream-2-words");
  await dialog.getByLabel("Name, typed after /").fill("count");
  await dialog.getByLabel("Text").fill("stream $ARGUMENTS words");
  expect(await axeViolations(app.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor({ state: "detached" });

  const field = session.frame.getByRole("textbox", { name: "Message" });
  await field.click();
  await field.pressSequentially("/cou");
  const option = session.frame.getByRole("option", { name: /count/ });
  await option.waitFor();
  await expectSoon(() => option.textContent()).toContain("snippet");
  expect(await axeViolations(app.page)).toEqual([]);
  await field.press("Enter");
  await waitFor(
    () => field.inputValue(),
    (text) => text === "stream $ARGUMENTS words",
    "the snippet's text",
  );
  // The place of the arguments is selected: what is typed takes it.
  await field.pressSequentially("3");
  await expectSoon(() => field.inputValue()).toBe("stream 3 words");
  await field.press("Enter");
  await session.untilSaid("w3");
  const [sent] = app.sent("session:send").slice(-1);
  expect(sent).toMatchObject({ content: "stream 3 words" });

  // Its text is gone for good when it is removed: that is asked before, and the keyboard stays.
  const { page } = app;
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  const remove = page.getByRole("button", { name: "Remove /count" });
  await remove.click();
  const question = page.getByRole("group", { name: "Remove /count?" });
  await question.getByRole("button", { name: "Keep" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await remove.and(page.locator(":focus")).waitFor();
  expect(app.sent("snippet:remove")).toEqual([]);
  await page.keyboard.press("Enter");
  await question.getByRole("button", { name: "Remove" }).press("Enter");
  await page.getByRole("button", { name: "Add a snippet" }).and(page.locator(":focus")).waitFor();
  await remove.waitFor({ state: "detached" });
});

test("a session is mentioned with @, goes along as a link, and its chip opens it", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session, name } = chat;
  await session.ask("stream 1 words", "w1");
  await session.untilIdle();
  const second = await app.newSession(name);
  const field = second.frame.getByRole("textbox", { name: "Message" });
  await field.click();
  await field.pressSequentially("look at @stream1");
  const option = second.frame.getByRole("option", { name: /stream 1 words/ }).first();
  await option.waitFor();
  await option.click();
  await expectSoon(() => field.inputValue()).toBe("look at @stream 1 words ");
  await field.press("Enter");
  const chip = second.entries("user").first().getByRole("button", { name: "stream 1 words", exact: true });
  await chip.waitFor();
  // The message is drawn before it is sent.
  await expectSoon(async () => JSON.stringify(app.sent("session:send").at(-1))).toContain("liminal://session/");
  await chip.click();
  await session.transcript.waitFor();
});
