import { expect, test } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { PAGE_STYLE } from "../../src/sessions/transfer/export/write-html.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { imported } from "../transfer/file-steps.ts";
import { guideIn, manySessions, projectWith, writeGuideSessions } from "../transfer/guide-sessions.ts";
import { hostileDocument } from "../transfer/hostile-document.ts";
import { HOSTILE_TEXTS } from "../transfer/hostile-texts.ts";
import { onlyTalk, startImport, untilDone } from "../transfer/import-steps.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

/** Presses Tab until this is focused. */
async function tabTo(app: AppPage, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 60; presses += 1) {
    if (await target.evaluate((element) => element.ownerDocument.activeElement === element)) return;
    await app.page.keyboard.press("Tab");
  }
  throw new Error("Tab does not lead there");
}

/** Opens the import dialog of a project, by keyboard alone. */
async function openImport(app: AppPage, project: string): Promise<Locator> {
  await app.projects.getByRole("button", { name: `New session in ${project}`, exact: true }).focus();
  await app.page.keyboard.press("Enter");
  await tabTo(app, app.dialog("New session").getByRole("button", { name: "Import sessions…" }));
  await app.page.keyboard.press("Enter");
  const dialog = app.dialog("Import sessions");
  await dialog.waitFor();
  return dialog;
}

async function chooseFile(app: AppPage, dialog: Locator, path: string): Promise<void> {
  const [chooser] = await Promise.all([
    app.page.waitForEvent("filechooser"),
    dialog.getByRole("button", { name: "Import file…" }).click(),
  ]);
  await chooser.setFiles(path);
}

/** A file without a writer at its other end: the agent waits for it until it is ended. */
async function stopAnswering(file: string): Promise<void> {
  await rm(file);
  Bun.spawnSync(["mkfifo", file]);
}

async function exportedFile(server: TestServer, path: string): Promise<void> {
  await writeFile(path, JSON.stringify(hostileDocument(["A talk from elsewhere"])));
  await server.directory("demo");
}

test("X-12 X-15 sessions are imported by keyboard: the agent, some or all, how far it is, what came of it", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { mine: { ...guideIn(guide.path), name: "My Agent" } } });
  await using app = await chromium.open(server);
  const cwd = await server.directory("demo");
  await writeGuideSessions(guide.path, manySessions(30, cwd));
  await app.addProject(cwd);
  const dialog = await openImport(app, "demo");
  const agent = dialog.getByRole("combobox", { name: "Agent" });
  await expectSoon(() => agent.evaluate((element) => element.ownerDocument.activeElement === element)).toBe(true);
  await agent.selectOption({ label: "My Agent" });
  const boxes = dialog.getByRole("list", { name: "Sessions to import" }).getByRole("checkbox");
  await boxes.first().waitFor();
  await expectSoon(() => boxes.count()).toBe(30);
  expect(await axeViolations(app.page)).toEqual([]);
  await tabTo(app, boxes.first());
  await app.page.keyboard.press("Space");
  await tabTo(app, dialog.getByRole("button", { name: "Import 1 session", exact: true }));
  await app.page.keyboard.press("Enter");
  await dialog.getByText("Imported 1 session.").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await app.untilRows("ask of 30");

  await dialog.getByRole("button", { name: "Refresh" }).press("Enter");
  const all = dialog.getByRole("checkbox", { name: "Select all 29" });
  await all.press("Space");
  await tabTo(app, dialog.getByRole("button", { name: "Import 29 sessions", exact: true }));
  await app.page.keyboard.press("Enter");
  await dialog.getByText("Imported 29 sessions.").waitFor();
  await dialog.getByRole("button", { name: "Refresh" }).press("Enter");
  await dialog.getByText("All sessions of My Agent in demo are already here.").waitFor();
  await app.page.keyboard.press("Escape");
  await app.untilRows(...Array.from({ length: 30 }, (_, index) => `ask of ${30 - index}`));
  const session = await app.open("ask of 12");
  await session.ask("stream 3 words", "w1 w2 w3");
});

test("X-12 an import continues when its dialog is closed, is shown again when it is opened, and can be stopped", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { builtin: guideIn(guide.path) } });
  await using app = await chromium.open(server);
  const cwd = await server.directory("demo");
  await writeGuideSessions(guide.path, manySessions(3, cwd));
  await app.addProject(cwd);
  const dialog = await openImport(app, "demo");
  await dialog.getByRole("checkbox", { name: "Select all 3" }).press("Space");
  await stopAnswering(guide.join("guide_0002.jsonl"));
  await dialog.getByRole("button", { name: "Import 3 sessions" }).press("Enter");
  await dialog.getByRole("progressbar", { name: "Import progress" }).waitFor();
  await app.page.keyboard.press("Escape");
  const picker = await app.pickAgent("demo");
  await picker.getByRole("button", { name: "Import sessions…" }).click();
  await dialog.getByText("0 of 3 sessions. You can close this dialog; the import continues.").waitFor();
  await dialog.getByRole("button", { name: "Stop importing" }).press("Enter");
  await dialog.getByText("Stopped. 0 sessions imported and kept.").waitFor();
});

test("X-12 a session that was deleted here is marked in the list, and Select all leaves it out", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { guide: guideIn(guide.path, "--without", "delete") } });
  const client = await server.connect();
  const { projectId } = await projectWith(server, client, guide.path, (cwd) => manySessions(3, cwd));
  await untilDone(client, await startImport(client, projectId, ["guide_0002"]));
  const { sessionId } = await onlyTalk(client, projectId);
  await client.ask("session:deleted", { type: "session:delete", sessionId });
  await using app = await chromium.open(server);
  const dialog = await openImport(app, "outside");
  await dialog.getByRole("combobox", { name: "Agent" }).selectOption({ label: "Test Guide" });
  await dialog.getByRole("checkbox", { name: "Select all 2" }).press("Space");
  const deleted = dialog.getByRole("checkbox", { name: "guide_0002 deleted here" });
  await expectSoon(() => deleted.isChecked()).toBe(false);
  await dialog.getByRole("button", { name: "Import 2 sessions", exact: true }).waitFor();
  await deleted.press("Space");
  await dialog.getByRole("button", { name: "Import 3 sessions", exact: true }).press("Enter");
  await dialog.getByText("Imported 3 sessions.").waitFor();
});

test("X-12 an agent that cannot list its sessions has an error with a retry", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { builtin: guideIn(guide.path, "--without", "list") } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const dialog = await openImport(app, "demo");
  await dialog.getByRole("combobox", { name: "Agent" }).selectOption({ label: "Test Guide" });
  await dialog.getByRole("alert").getByText("Test Guide cannot list its sessions").waitFor();
  await dialog.getByRole("button", { name: "Try again" }).waitFor();
});

test("X-12 X-15 a session is exported from its header by keyboard, in three forms", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("stream 3 words", "w1 w2 w3");
  await session.button("Export").press("Enter");
  const dialog = app.dialog("Export “stream 3 words”");
  await dialog.waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  for (const [name, file, holds] of [
    [/^Markdown/, "stream-3-words.md", "w1 w2 w3"],
    [/^Web page/, "stream-3-words.html", "<p>w1 w2 w3</p>"],
    [/^JSON/, "stream-3-words.json", '"content":"w1 w2 w3"'],
  ] as const) {
    await tabTo(app, dialog.getByRole("link", { name }));
    const [download] = await Promise.all([app.page.waitForEvent("download"), app.page.keyboard.press("Enter")]);
    expect(download.suggestedFilename()).toBe(file);
    expect(await Bun.file(await download.path()).text()).toContain(holds);
  }
});

test("X-12 a file is imported and opened; again it is recognized and offered as a copy; the error of a broken one names the position", async () => {
  await using dir = await tempDir();
  await using server = await startTestServer();
  await using app = await chromium.open(server, { isRefused: true });
  await exportedFile(server, dir.join("talk.json"));
  await writeFile(dir.join("broken.json"), "{}");
  await app.addProject(await server.directory("demo"));
  const first = await openImport(app, "demo");
  await chooseFile(app, first, dir.join("talk.json"));
  await first.waitFor({ state: "hidden" });
  await app.tab("A talk from elsewhere").and(app.activeTab).waitFor();
  // It takes the keyboard when it is shown: before that, the next key could go there.
  const session = await app.shownSession();
  await waitFor(() => session.hasKeyboard(), Boolean, "the session to have the keyboard");
  const second = await openImport(app, "demo");
  await chooseFile(app, second, dir.join("broken.json"));
  await second
    .getByRole("alert")
    .getByText(/^format: /)
    .waitFor();
  await chooseFile(app, second, dir.join("talk.json"));
  await second.getByText("Already imported as “A talk from elsewhere”.").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await second.getByRole("button", { name: "Import a copy" }).press("Enter");
  await app.untilTabs("A talk from elsewhere", "A talk from elsewhere");
});

test("X-12 NFR-5 an exported page full of hostile text runs nothing, requests nothing, and shows the text", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const client = await server.connect();
  const { projects } = await client.ask("project:list", { type: "project:list" });
  const session = await imported(server, projects[0]?.id ?? "", JSON.stringify(hostileDocument(HOSTILE_TEXTS)));
  const answer = await server.fetch(`/api/export?sessionId=${encodeURIComponent(session.id)}&format=html`);
  await using dir = await tempDir();
  const file = dir.join("hostile.html");
  await writeFile(file, await answer.text());
  const page = await app.page.context().newPage();
  const troubles: string[] = [];
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  await page.locator("summary").first().click();
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  await expectSoon(() => page.locator("article.user").count()).toBe(HOSTILE_TEXTS.length);
  await expectSoon(() => page.locator("article.user > p.plain").first().textContent()).toBe(HOSTILE_TEXTS[0] ?? "");
  await expectSoon(() => page.locator("script, iframe, form, link, base, object, svg").count()).toBe(0);
  expect(troubles).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  await expectSoon(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  // X-12 (D12): on a narrow screen words of a table stay whole, and print shows what is folded.
  const rows = "<tr><th>Case</th><th>Before</th><th>A column of many words that has to wrap</th></tr>";
  const folded = "<details><summary>Tool</summary><pre>Its output</pre></details>";
  await page.setContent(`<style>${PAGE_STYLE}</style><p>A line</p><table>${rows}</table>${folded}`);
  const linesOf = (name: string) =>
    page.getByText(name, { exact: true }).evaluate((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return range.getClientRects().length;
    });
  expect([await linesOf("Case"), await linesOf("Before")]).toEqual([1, 1]);
  // What is folded may have a size, and is not painted.
  const isPainted = () => page.locator("pre").evaluate((node) => node.checkVisibility());
  expect(await isPainted()).toBe(false);
  await page.emulateMedia({ media: "print" });
  expect(await isPainted()).toBe(true);
  await page.close();
});
