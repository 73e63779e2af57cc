import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { openChat } from "./open-sessions.ts";
import type { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const OPTIONS = ["Allow once", "Always allow commands in this session", "Reject"];

const chromium = useChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Ready to be used. */
async function openPermissions(app: AppPage, session: SessionView): Promise<Locator> {
  await session.button("Permissions").click();
  const dialog = app.dialog("Permissions");
  await dialog.getByRole("combobox", { name: "In this session" }).and(dialog.locator(":enabled")).waitFor();
  return dialog;
}

test("X-4 X-22 a rule of ours is offered beside the agent's own options, in words, and answers this request and the next", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.say("run echo one");
  await session.permission.waitFor();
  const names = () =>
    session.permission.getByRole("button").evaluateAll((all) => all.map((one) => one.childNodes[0]?.textContent));
  await expectSoon(() => names()).toEqual(OPTIONS);
  // A request takes keys only after it was drawn for a while.
  await session.permission.locator('[aria-disabled="false"]').first().waitFor();
  const offer = session.button("Always allow this…");
  await offer.focus();
  await app.page.keyboard.press("Enter");
  await expectSoon(() => offer.getAttribute("aria-expanded")).toBe("true");
  await session.frame.getByText('Allow "echo" with arguments known to be harmless').waitFor();
  await expectSoon(() => names()).toEqual(OPTIONS);
  expect(await axeViolations(app.page)).toEqual([]);
  await session.frame.getByRole("combobox", { name: "Rule scope" }).selectOption("project");
  await session.button("Add rule").click();
  await session.permission.waitFor({ state: "detached" });
  await session.untilSaid("succeeded");
  await session.untilIdle();
  await session.say("run echo two");
  await waitFor(
    () => session.texts("tool-call"),
    (seen) => seen.length === 2 && seen.every((text) => text.includes("allowed by rule")),
    "both calls to say that a rule allowed them",
  );
  await expectSoon(() => session.permission.count()).toBe(0);
});

test("X-4 X-22 the dialog: a mode, rules in words, what a rule would have answered, and what was answered", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.say("run ls -la");
  await session.permission.getByRole("button", { name: "Allow once", exact: true }).click();
  await session.untilSaid("succeeded");
  await session.untilIdle();
  const dialog = await openPermissions(app, session);
  await dialog.getByRole("textbox", { name: "Command" }).fill("ls");
  await dialog.getByRole("combobox", { name: "Where" }).selectOption("project");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText("This rule would have answered 1 of the last 1 requests").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Add rule" }).click();
  const remove = dialog.getByRole("button", { name: 'Delete rule: Allow "ls" with arguments known to be harmless' });
  await remove.waitFor();
  await dialog.getByRole("combobox", { name: "About" }).selectOption("tool");
  await dialog.getByRole("textbox", { name: "MCP tool" }).fill("github");
  await dialog.getByText("Write a tool as mcp:server/tool").waitFor();
  await expectSoon(() => dialog.getByRole("button", { name: "Add rule" }).isDisabled()).toBe(true);
  await dialog.getByRole("textbox", { name: "MCP tool" }).fill("github/*");
  await dialog.getByRole("button", { name: "Add rule" }).click();
  const tools = dialog.getByRole("button", { name: "Delete rule: Allow all tools of github" });
  await tools.click();
  await tools.waitFor({ state: "detached" });
  await dialog.getByRole("combobox", { name: "In this session" }).selectOption("edits");
  await app.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await session.ask("run ls", "succeeded");
  await session.ask('edit notes.md "" "hello"', "I created");
  const again = await openPermissions(app, session);
  await expectSoon(() => again.getByRole("combobox", { name: "In this session" }).inputValue()).toBe("edits");
  const audit = again.getByRole("list", { name: "Answered without asking, in this project" });
  await expectSoon(() => audit.getByRole("listitem").count()).toBe(2);
  expect(await axeViolations(app.page)).toEqual([]);
  await again.getByRole("button", { name: /^Delete rule/ }).focus();
  await app.page.keyboard.press("Enter");
  await again.getByText("No rules yet").waitFor();
});
