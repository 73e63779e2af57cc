import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { ElicitationId } from "../../src/protocol/ids.ts";
import { script, scriptedAgent } from "../integration/scripted-agent.ts";
import { formLoginAgent } from "../lifecycle/page-login-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { axeViolations } from "./axe-violations.ts";
import { openChat } from "./open-sessions.ts";
import { textIn } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ agents: { scripted: scriptedAgent(), coded: formLoginAgent() } });
});
afterAll(() => server[Symbol.asyncDispose]());

function isFocused(field: Locator): Promise<boolean> {
  return field.evaluate((element) => element.ownerDocument.activeElement === element);
}

async function untilFocused(field: Locator, what: string): Promise<void> {
  await waitFor(() => isFocused(field), Boolean, `the cursor in ${what}`);
}

test("W-9 by mouse, with two pages open: a real form, with errors shown, answered once, resolved in both", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.say("ask");
  await session.question.waitFor();
  await app.untilRowSays("ask", "waiting for you");
  await using other = await chromium.open(server);
  const mirrored = await other.open("ask");
  await mirrored.question.waitFor();
  await expectSoon(() => textIn(mirrored.question)).toContain("Liminal Guide");

  const { question } = session;
  await question.getByLabel("Email").fill("nobody");
  await question.getByRole("button", { name: "Answer", exact: true }).click();
  await question.getByText("2 answers are invalid.").waitFor();
  const name = question.getByRole("textbox", { name: "Your name" });
  await untilFocused(name, "the first field that is wrong");
  await expectSoon(() => name.getAttribute("aria-invalid")).toBe("true");
  await question.getByText("Enter an email address").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  expect(app.sent("elicitation:respond")).toEqual([]);

  await name.fill("Ada");
  await question.getByLabel("Email").fill("ada@example.com");
  await question.getByLabel("First day with agents").fill("2026-03-31");
  await question.getByRole("radio", { name: /^Red/ }).check();
  await question.getByLabel("Agents you run at once").fill("12");
  await question.getByRole("checkbox", { name: "Rust" }).check();
  await question.getByRole("checkbox", { name: "Would you ask again?" }).check();
  await question.getByLabel("Anything else?").fill("Two\nlines");
  await question.getByRole("button", { name: "Answer", exact: true }).click();
  await session.untilSaid("Thank you");
  await session.untilIdle();
  const answered = await textIn(session.entries("assistant"));
  for (const value of [
    '"Ada"',
    '"ada@example.com"',
    '"2026-03-31"',
    '"red"',
    "12",
    '["Rust"]',
    "true",
    '"Two\\nlines"',
  ])
    expect(answered).toContain(value);
  await mirrored.untilIdle();
  for (const view of [session, mirrored]) {
    await expectSoon(() => view.question.count()).toBe(0);
    await expectSoon(() => textIn(view.entries("notice"))).toContain("Favourite colour: Red");
  }
});

test("W-9 X-15 by keyboard alone: the cursor is in the first field, Enter answers, Esc asks before it loses anything", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.say("ask");
  await session.question.waitFor();
  const name = session.question.getByRole("textbox", { name: "Your name" });
  await untilFocused(name, "the first field");
  await app.page.keyboard.type("Grace");
  await app.page.keyboard.press("Escape");
  await session.question.getByText("Press Esc again").waitFor();
  await app.page.keyboard.type("!");
  await expectSoon(() => name.inputValue()).toBe("Grace!");
  // A card that has just come up ignores Enter for a moment, so it may have to be pressed again.
  await waitFor(
    async () => {
      if ((await session.question.count()) > 0) await app.page.keyboard.press("Enter");
      return session.question.count();
    },
    (count) => count === 0,
    "the answer by Enter",
  );
  await session.untilSaid("Grace!");
  await session.untilIdle();
  await untilFocused(session.message, "the composer again");
  await session.say("ask");
  await session.question.waitFor();
  await untilFocused(name, "the first field of the next question");
  await app.page.keyboard.press("Escape");
  await session.untilSaid("You closed the form");
  expect(app.sent("elicitation:respond").map(({ action }) => action)).toEqual(["accept", "cancel"]);
});

test("W-9 it does not take the focus while the user types, and filled-in values survive another tab", async () => {
  await using chat = await openChat(chromium, server, { agent: "Scripted" });
  const { app, session, name } = chat;
  const properties = { thing: { type: "string", title: "Thing" } };
  const ask = (id: string, message: string) => ({
    ask: {
      id,
      method: "elicitation/create",
      params: { mode: "form", message, requestedSchema: { type: "object", properties } },
    },
  });
  await session.say(script({ onCancel: [] }, ask("a", "First?"), ask("b", "Second?"), { end: "end_turn" }));
  const field = session.question.getByRole("textbox", { name: "Thing" });
  await field.fill("half an ans");
  await app.newSession(name);
  const rows = await app.rowTitles();
  const own = rows.find((title) => title.startsWith("[{"));
  const back = await app.open(own ?? "");
  await expectSoon(() => field.inputValue()).toBe("half an ans");
  await back.message.fill("begun");
  const elicitationId = ElicitationId.parse(await back.question.getAttribute("data-question"));
  const elsewhere = await server.connect();
  const content = { thing: "from elsewhere" };
  await elsewhere.ask("elicitation:resolved", {
    type: "elicitation:respond",
    elicitationId,
    action: "accept",
    content,
  });
  await back.question.getByText("Second?").waitFor();
  await app.page.keyboard.type(" and gone on");
  await expectSoon(() => back.message.inputValue()).toBe("begun and gone on");
  await expectSoon(() => field.inputValue()).toBe("");
  await back.question.getByRole("button", { name: "Decline", exact: true }).click();
  await back.untilIdle();
  await expectSoon(() => textIn(back.entries("assistant"))).toContain("from elsewhere");
});

test("W-9 errors that only the server finds are shown at the field", async () => {
  await using chat = await openChat(chromium, server, { agent: "Scripted" });
  const { session } = chat;
  const properties = { key: { type: "string", title: "Key", pattern: "^[A-Z]{2}-\\d+$" } };
  const params = { mode: "form", message: "Which issue?", requestedSchema: { type: "object", properties } };
  await session.say(script({ ask: { id: "q", method: "elicitation/create", params } }, { end: "end_turn" }));
  const field = session.question.getByRole("textbox", { name: "Key" });
  await field.fill("ab-1");
  await session.question.getByRole("button", { name: "Answer", exact: true }).click();
  await session.question.getByText("Does not match the required pattern").first().waitFor();
  await expectSoon(() => field.getAttribute("aria-invalid")).toBe("true");
  await expectSoon(() => session.frame.locator(".composer-error").count()).toBe(0);
  await field.fill("AB-1");
  await session.question.getByRole("button", { name: "Answer", exact: true }).click();
  await session.untilSaid("AB-1");
});

test("W-9 a page: the host first, nothing opened before the user agrees, waited for until the agent is done", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.say("ask url");
  await session.question.waitFor();
  const shown = await textIn(session.question);
  expect(shown).toContain("Opens 127.0.0.1:");
  expect(app.page.context().pages()).toHaveLength(1);
  expect(await axeViolations(app.page)).toEqual([]);
  const opened = app.page.context().waitForEvent("page");
  await session.question.getByRole("button", { name: "Open page" }).click();
  const page = await opened;
  await page.getByText("Thank you for coming").waitFor();
  await page.close();
  await session.untilSaid("You have been there");
  await session.untilIdle();
  await expectSoon(() => session.visit.count()).toBe(0);
  await expectSoon(() => textIn(session.entries("notice"))).toContain("the agent is done with it");
});

test("W-9 a page that was agreed to can be dismissed", async () => {
  await using chat = await openChat(chromium, server, { agent: "Scripted" });
  const { app, session } = chat;
  const params = { mode: "url", message: "Go there", elicitationId: "p", url: `${server.origin}/healthz` };
  await session.say(script({ ask: { id: "q", method: "elicitation/create", params } }, { end: "end_turn" }));
  const opened = app.page.context().waitForEvent("page");
  await session.question.getByRole("button", { name: "Open page" }).click();
  await (await opened).close();
  await session.visit.waitFor();
  await session.untilIdle();
  await session.visit.getByRole("button", { name: "Dismiss" }).click();
  await session.visit.waitFor({ state: "hidden" });
});

test("W-9 a form that belongs to no session is a dialog of the whole page", async () => {
  await using app = await chromium.open(server);
  const name = `signs-in-${crypto.randomUUID().slice(0, 8)}`;
  await app.addProject(await server.directory(name));
  const session = await app.newSession(name, "Form Login");
  await session.button("Sign in").click();
  await app.page.getByRole("button", { name: /In the browser/ }).click();
  const dialog = app.dialog("Form Login asks");
  await dialog.getByRole("textbox", { name: "Code" }).fill("ab");
  await dialog.getByRole("button", { name: "Answer", exact: true }).click();
  await dialog.getByText("Does not match the required pattern").first().waitFor();
  await dialog.getByRole("textbox", { name: "Code" }).fill("AB");
  await dialog.getByRole("button", { name: "Answer", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
});
