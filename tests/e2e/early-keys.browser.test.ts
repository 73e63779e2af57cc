import { expect, test } from "bun:test";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { prepareSessions } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

/** Presses a key in the moment the page is drawn, when no word of the server can have come yet. */
const pressAtFirstSight = (key: string) => `new MutationObserver((_, observer) => {
  if (window !== top || document.querySelector("nav") === null) return;
  observer.disconnect();
  dispatchEvent(new KeyboardEvent("keydown", { key: "${key}" }));
}).observe(document, { childList: true, subtree: true })`;

test("X-15 a key pressed before the server has named its projects is kept: N starts a session, not a project", async () => {
  await using server = await startTestServer();
  await prepareSessions(server, "demo", ["Apricot jam"]);
  await using first = await chromium.open(server);
  await first.open("Apricot jam");
  await first.page.context().addInitScript(pressAtFirstSight("n"));
  await using second = await chromium.open(server, { besides: first });
  await second.dialog("New session").waitFor();
  expect(await second.dialog("Add project").count()).toBe(0);
});

test("X-15 what is typed while a dialog is still being fetched goes into it, and Esc takes it back", async () => {
  await using server = await startTestServer();
  await prepareSessions(server, "demo", ["Apricot jam"]);
  await using app = await chromium.open(server);
  const session = await app.open("Apricot jam");
  await session.message.focus();
  const gate = Promise.withResolvers<void>();
  await app.page.route("**/assets/*.js", async (route) => {
    await gate.promise;
    await route.continue();
  });
  const askForPalette = async () => {
    await session.message.focus();
    await app.page.keyboard.press("Control+k");
    await waitFor(
      () => app.page.evaluate<boolean>("document.activeElement === document.body"),
      Boolean,
      "the keyboard to leave the composer",
    );
  };
  const palette = app.dialog("Command palette");

  await askForPalette();
  await app.page.keyboard.type("nonsense");
  await app.page.keyboard.press("Escape");
  await waitFor(() => session.message.evaluate((field) => field.ownerDocument.hasFocus()), Boolean, "the focus back");
  await askForPalette();
  await app.page.keyboard.type("theme li");
  expect(await palette.count()).toBe(0);
  gate.resolve();
  await palette.getByRole("option", { name: /^Theme: light/, selected: true }).waitFor();
  expect(await palette.getByRole("combobox", { name: "Search or run a command" }).inputValue()).toBe("theme li");
  await app.page.keyboard.press("Enter");
  await palette.waitFor({ state: "hidden" });
  expect(await session.message.inputValue()).toBe("");
});

test("X-15 what was typed for a dialog that could not be fetched goes into no other", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server, { losesServer: true });
  const gate = Promise.withResolvers<void>();
  await app.page.route("**/assets/*.js", async (route) => {
    await gate.promise;
    await route.abort();
  });
  await app.page.keyboard.press("Control+k");
  await app.page.keyboard.type("nonsense");
  gate.resolve();
  await app.page.getByText("This part of the page could not be loaded.").waitFor();
  await app.projects.getByRole("button", { name: "Add project", exact: true }).click();
  expect(await app.dialog("Add project").getByRole("textbox", { name: "Directory" }).inputValue()).toBe("");
});
