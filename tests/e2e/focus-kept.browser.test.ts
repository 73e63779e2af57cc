import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { prepareSessions } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

async function untilFocused(place: Locator, what: string): Promise<void> {
  const isFocused = (one: Element) => one.ownerDocument.hasFocus() && one.ownerDocument.activeElement === one;
  await waitFor(() => place.evaluate(isFocused), Boolean, `the focus on ${what}`);
}

test("X-15 the keyboard is never lost with a button that goes: the first project, an answer, a column, a tab", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const { keyboard } = app.page;
  await app.page.getByRole("button", { name: "Choose a directory" }).click();
  await app
    .dialog("Add project")
    .getByRole("textbox", { name: "Directory" })
    .fill(await server.directory("demo"));
  await keyboard.press("Enter");
  await untilFocused(app.page.getByRole("heading", { name: "Pick an agent" }), "the next step");

  const first = await app.newSession("demo");
  await first.say("run echo once");
  await first.permission.getByRole("button", { name: "Allow once", exact: true }).click();
  await first.untilSaid("succeeded");
  await untilFocused(first.message, "the composer, after the answer");
  await first.say("run echo twice");
  await first.permission.waitFor();
  // A card that has just come up ignores keys for a moment, so the key may have to be pressed again.
  await waitFor(
    async () => {
      if ((await first.permission.count()) > 0) await keyboard.press("Alt+a");
      return first.permission.count();
    },
    (count) => count === 0,
    "the answer by Alt+A, from the composer",
  );
  await first.untilIdle();
  expect(await first.message.inputValue()).toBe("");

  const second = await app.newSession("demo");
  await second.ask("stream 2 words", "w2");
  await keyboard.press("Alt+\\");
  await untilFocused(first.message, "the session beside");
  await keyboard.press("Alt+Shift+W");
  await untilFocused(second.message, "the session that stays in view");
  await keyboard.press("Alt+w");
  await untilFocused(first.message, "the tab that is left");
});

test("X-15 X-22 Ctrl+F finds in the session wherever it is pressed, and Esc in the inbox closes a form, not the question", async () => {
  await using server = await startTestServer();
  const { say } = await prepareSessions(server, "demo", ["Apricot jam"]);
  await say("Apricot jam", "ask");
  await using app = await chromium.open(server);
  const { keyboard } = app.page;
  const session = await app.open("Apricot jam");
  await session.question.waitFor();
  await app.tab("Apricot jam").focus();
  await keyboard.press("Control+f");
  await untilFocused(session.frame.getByRole("textbox", { name: "Find in session" }), "the find of the session");

  await keyboard.press("Alt+o");
  const inbox = app.page.getByRole("region", { name: "Inbox" });
  await inbox.getByRole("button", { name: "Answer…" }).click();
  const name = inbox.getByRole("textbox", { name: "Your name" });
  await untilFocused(name, "the form");
  await keyboard.type("Ada");
  await keyboard.press("Escape");
  await inbox.getByText("Press Esc again to close the form").waitFor();
  await keyboard.press("Escape");
  await inbox.getByRole("button", { name: "Answer…" }).waitFor();
  await untilFocused(inbox.getByRole("listitem"), "the question");
  expect(app.sent("elicitation:respond")).toEqual([]);
});
