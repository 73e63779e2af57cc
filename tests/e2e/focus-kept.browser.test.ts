import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { git, write } from "../workspace/git-scene.ts";
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
  await app.addProject(await server.directory("demo"));
  await untilFocused(app.projects.getByRole("button", { name: "Add project", exact: true }), "what opened the dialog");

  const first = await app.newSession("demo");
  await first.say("run echo once");
  await first.permission.getByRole("button", { name: "Allow once", exact: true }).click();
  await first.untilSaid("succeeded");
  await untilFocused(first.message, "the composer, after the answer");
  await first.say("run echo twice");
  // A card that has just come up ignores keys for a moment; then its buttons are enabled.
  await first.permission.getByRole("button", { name: "Allow once", exact: true, disabled: false }).waitFor();
  await keyboard.press("Alt+a");
  await first.permission.waitFor({ state: "detached" });
  await first.untilIdle();
  await expectSoon(() => first.message.inputValue()).toBe("");

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

test("X-15 keys of a session work where the keyboard is outside of it: nowhere after a reload, or on its tab", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const { keyboard } = app.page;
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("stream 2 words", "w2");
  await app.page.reload();
  await session.message.waitFor();
  expect(await app.page.evaluate(() => document.activeElement === document.body)).toBe(true);
  const files = session.frame.getByRole("complementary", { name: "Files" });
  await keyboard.press("e");
  await files.waitFor();
  await untilFocused(session.frame.getByRole("textbox", { name: "Filter files" }), "the side panel");
  await keyboard.press("Escape");
  await files.waitFor({ state: "detached" });

  // A letter belongs to what has the focus; with Alt it is the session's.
  await app.tab("stream 2 words").focus();
  await keyboard.press("e");
  await keyboard.press("Alt+e");
  await files.waitFor();
});

test("X-15 a dialog gives the keyboard back to what had it: the side panel, and the button that opened it", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const { keyboard } = app.page;
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.message.press("Alt+e");
  const filter = session.frame.getByRole("textbox", { name: "Filter files" });
  await untilFocused(filter, "the side panel");
  await keyboard.press("Control+k");
  await app.dialog("Command palette").waitFor();
  await keyboard.press("Escape");
  await untilFocused(filter, "what had it before the palette");
  await keyboard.press("Escape");
  await session.frame.getByRole("complementary", { name: "Files" }).waitFor({ state: "detached" });

  await session.ask("stream 2 words", "w2");
  const end = session.button("Permissions");
  await end.focus();
  await keyboard.press("Enter");
  await app.page.getByRole("dialog").waitFor();
  await keyboard.press("Escape");
  await untilFocused(end, "the button that opened the dialog");
});

test("X-15 files that change never take the keyboard from the session in front, nor from one beside it", async () => {
  await using server = await startTestServer();
  const root = await server.directory("demo");
  git(root, "init", "-q", "-b", "main");
  await write(root, { "notes.txt": "one\n", "plan.txt": "one\n" });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  await using app = await chromium.open(server);
  const { keyboard } = app.page;
  await app.addProject(root);
  const behind = await app.newSession("demo");
  await behind.message.press("Alt+g");
  await behind.frame.getByRole("heading", { name: "No changes" }).waitFor();
  await write(root, { "plan.txt": "two\n" });
  const current = behind.frame.locator(".hunk[aria-current]");
  await untilFocused(current, "the first change");

  const front = await app.newSession("demo");
  await untilFocused(front.message, "the session in front");
  const change = async (changed: string, restored: string) => {
    await write(root, { [changed]: "two\n", [restored]: "one\n" });
    await behind.frame.locator(`.hunk[data-path="${changed}"][aria-current]`).waitFor({ state: "attached" });
    await untilFocused(front.message, `the session in front, after a change of ${changed}`);
  };
  await change("notes.txt", "plan.txt");
  await keyboard.press("Alt+\\");
  await untilFocused(behind.message, "the session beside");
  await current.focus();
  await keyboard.press("Alt+[");
  await change("plan.txt", "notes.txt");
  await keyboard.type("x");
  await expectSoon(() => front.message.inputValue()).toBe("x");
});
