import { expect, test } from "bun:test";
import { axeViolations } from "../e2e/axe-violations.ts";
import { useChromium } from "../e2e/use-chromium.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";

const chromium = useChromium();

test("X-17 the log of a session shows the messages on the wire; it can be filtered, opened, copied, downloaded", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("stream 3 words", "w1 w2 w3");
  await session.button("Show log").click();
  const dialog = app.dialog("ACP log: stream 3 words");
  const lines = dialog.getByRole("region", { name: "Log lines" }).getByRole("listitem");
  await lines.filter({ hasText: "initialize" }).first().waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  const all = await lines.count();
  await dialog.getByRole("button", { name: "Sent" }).click();
  await dialog.getByRole("button", { name: "Sent", pressed: true }).waitFor();
  const sent = await lines.allInnerTexts();
  expect(sent.length).toBeLessThan(all);
  expect(sent.filter((text) => /session\/prompt|session\/new|initialize/.test(text))).toHaveLength(3);
  await dialog.getByRole("searchbox", { name: "Filter log" }).fill("session/PROMPT");
  await expectSoon(() => lines.count()).toBe(1);
  await lines.first().locator("summary").click();
  await lines.first().getByText('"text": "stream 3 words"').waitFor();
  await dialog.getByRole("button", { name: "Copy" }).click();
  await dialog.getByRole("button", { name: "Copied" }).waitFor();
  const copied: unknown = JSON.parse(await app.page.evaluate(() => navigator.clipboard.readText()));
  expect(copied).toMatchObject({ direction: "out", text: expect.stringContaining("session/prompt") });

  const [download] = await Promise.all([
    app.page.waitForEvent("download"),
    dialog.getByRole("link", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^builtin-[\w-]+\.jsonl$/);
  const text = await Bun.file(await download.path()).text();
  expect(
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)).length,
  ).toBe(all + 1);
});

test("X-17 after a crash the log is one click away and has the agent's last complaint", async () => {
  const frail = { ...guideWith(), name: "Frail", retryMs: [] };
  await using server = await startTestServer({ agents: { frail } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Frail");
  await session.say("scenario crash-mid-turn");
  await session.untilStatus("disconnected");
  await session.button("Show log").last().click();
  const dialog = app.dialog("ACP log: scenario crash-mid-turn");
  await dialog.getByRole("button", { name: "Output" }).click();
  await dialog.getByText("liminal-guide: crashed in the middle of a turn, as asked", { exact: true }).waitFor();
  await app.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await session.button("Reconnect").click();
  await session.untilStatus("connected");
});

test("X-17 a long log shows its end and comes a page at a time", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("stream 3000 words", "w3000");
  await session.button("Show log").click();
  const lines = app.page.getByRole("region", { name: "Log lines" }).getByRole("listitem");
  await lines.first().waitFor();
  const first = await lines.count();
  expect(first).toBeLessThan(300);
  await expectSoon(() => lines.last().textContent()).toContain("answer");
  await app.page.getByRole("button", { name: /earlier lines/ }).click();
  await expectSoon(() => lines.count()).toBeGreaterThan(first);
});
