import { expect, test } from "bun:test";
import { chmod, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expectSoon } from "../support/expect-soon.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { git, write } from "../workspace/git-scene.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
/** Changes two lines that are far apart. */
const CHANGE = "run sed -i 's/^line 5$/five/; s/^line 30$/thirty/' notes.txt; echo new > added.txt";

test("[WS-18] [WS-19] [WS-23] an agent's changes are reviewed: kept, discarded, undone, remarked on and committed", async () => {
  await using server = await startTestServer({
    agents: { editor: { ...guideWith(), name: "Editor", permissions: "all" } },
  });
  const root = await server.directory("shop");
  git(root, "init", "-q", "-b", "main");
  await write(root, { "notes.txt": `${LINES.join("\n")}\n` });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  git(root, "config", "user.name", "The User");
  git(root, "config", "user.email", "user@example.org");
  const hook = join(root, ".git/hooks/pre-commit");
  await write(root, { ".git/hooks/pre-commit": "#!/bin/sh\necho lint: 3 problems\nexit 1\n" });
  await chmod(hook, 0o755);
  await using app = await chromium.open(server);
  await app.addProject(root);
  const session = await app.newSession("shop", "Editor");
  await session.ask(CHANGE, "succeeded");
  const { frame } = session;
  const keyboard = app.page.keyboard;
  const notes = async () => (await readFile(join(root, "notes.txt"), "utf8")).split("\n");

  await frame.getByRole("button", { name: /^Changes: 2 files/ }).waitFor();
  await session.transcript.press("g");
  const current = frame.locator(".hunk[aria-current]");
  const hunk = (name: string) => frame.getByRole("region", { name, exact: true });
  await hunk("Line 1 of added.txt").and(current).waitFor();
  await keyboard.press("y");
  await hunk("Lines 2–8 of notes.txt").and(current).waitFor();
  expect((await notes()).slice(4, 5)).toEqual(["five"]);
  await keyboard.press("x");
  await frame.getByText("Discarded", { exact: true }).waitFor();
  expect([(await notes())[4], (await notes())[29]]).toEqual(["line 5", "thirty"]);

  await app.page.reload();
  await session.message.waitFor();
  await session.message.press("Alt+g");
  await hunk("Lines 27–33 of notes.txt").and(current).waitFor();
  await keyboard.press("u");
  await hunk("Lines 2–8 of notes.txt").waitFor();
  await frame.getByRole("status").getByText("Undone: discarded changes in notes.txt").waitFor();
  expect([(await notes())[4], (await notes())[29]]).toEqual(["five", "thirty"]);

  await session.untilSaid("succeeded");
  const answers = await session.entries("assistant").count();
  await keyboard.press("r");
  await frame.getByRole("textbox", { name: /^Remark on line/ }).fill("Write it as a number.");
  await keyboard.press("Control+Enter");
  await waitFor(
    () => session.texts("user"),
    (texts) => texts.some((text) => text.includes("notes.txt:") && text.includes("Write it as a number.")),
    "the remark to be sent",
  );
  // A message that is on its way is no turn yet.
  await session.entries("assistant").nth(answers).waitFor();
  await session.untilIdle();

  await frame.locator(".changes-body").press("c");
  await frame.getByRole("textbox", { name: "Commit message" }).fill("Count in words");
  const commit = frame.getByRole("button", { name: "Commit 2 files" });
  await commit.click();
  await frame.getByRole("alert").getByText("lint: 3 problems").waitFor();
  await rm(hook);
  await commit.click();
  await frame
    .getByText(/^Committed 2 files as [0-9a-f]{8}\.$/)
    .first()
    .waitFor();
  expect(git(root, "log", "-1", "--format=%s").trim()).toBe("Count in words");
  expect(git(root, "status", "--porcelain").trim()).toBe("");
  await frame.getByRole("heading", { name: "No changes" }).waitFor();
});

test("[WS-18] a remark outlives its lines while it is written, and its letters decide about nothing", async () => {
  await using server = await startTestServer({
    agents: { editor: { ...guideWith(), name: "Editor", permissions: "all" } },
  });
  const root = await server.directory("shop");
  git(root, "init", "-q", "-b", "main");
  await write(root, { "notes.txt": `${LINES.join("\n")}\n` });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  await using app = await chromium.open(server);
  await app.addProject(root);
  const session = await app.newSession("shop", "Editor");
  await session.ask(CHANGE, "succeeded");
  const { frame } = session;
  const { keyboard } = app.page;
  await session.message.press("Alt+g");
  await frame.locator(".hunk[aria-current]").waitFor();
  await keyboard.press("n");
  await frame.getByRole("region", { name: "Lines 2–8 of notes.txt" }).and(frame.locator("[aria-current]")).waitFor();
  await keyboard.press("r");
  const field = frame.getByRole("textbox", { name: "Remark on line 5" });
  await keyboard.type("Why e");
  git(root, "checkout", "notes.txt");
  await frame.getByText("no longer among the changes").waitFor();
  await keyboard.type("xactly?");
  await expectSoon(() => field.inputValue()).toBe("Why exactly?");
  await app.page.reload();
  await session.message.waitFor();
  await session.message.press("Alt+g");
  const remark = frame.getByRole("article", { name: "Remark on line 5" });
  await remark.getByText("Why exactly?").waitFor();
  await remark.getByRole("button", { name: "Edit" }).click();
  await expectSoon(() => field.inputValue()).toBe("Why exactly?");
  expect(git(root, "status", "--porcelain").trim()).toBe("?? added.txt");

  const other = await app.newSession("shop", "Editor");
  await other.message.press("Alt+g");
  await other.frame.getByRole("region", { name: "added.txt", exact: true }).waitFor();
  await expectSoon(() => other.frame.getByText("Why exactly?").count()).toBe(0);
});

test("[WS-13] a discard while an agent works waits for the end of its turn, also after a refresh, and can be cancelled", async () => {
  await using server = await startTestServer({
    agents: { editor: { ...guideWith(), name: "Editor", permissions: "all" } },
  });
  const root = await server.directory("shop");
  git(root, "init", "-q", "-b", "main");
  await write(root, { "notes.txt": `${LINES.join("\n")}\n` });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  await using app = await chromium.open(server);
  await app.addProject(root);
  const session = await app.newSession("shop", "Editor");
  const { frame } = session;
  const lines = session.transcript.getByRole("group", { name: "Changes of this turn" });
  await session.ask(CHANGE, "succeeded");
  await lines.first().waitFor();
  await session.say("run while [ ! -e .git/go ]; do sleep 0.05; done; sed -i 's/^line 40$/forty/' notes.txt");
  await session.cancel.waitFor();
  await session.transcript.press("g");
  const current = frame.locator(".hunk[aria-current]");
  const hunk = (name: string) => frame.getByRole("region", { name, exact: true });
  await hunk("Line 1 of added.txt").and(current).waitFor();
  await app.page.keyboard.press("x");
  await frame.getByText("A discard waits for the end of the turn").waitFor();
  await hunk("Lines 2–8 of notes.txt").and(current).waitFor();
  await app.page.keyboard.press("x");
  const waiting = frame.getByRole("list", { name: "Discards that wait" }).getByRole("listitem");
  await waiting.nth(1).waitFor();
  await expectSoon(() => readFile(join(root, "notes.txt"), "utf8")).toContain("five");
  // Going to a change scrolls the list of changes, never the session away.
  await expectSoon(() => frame.locator("html").evaluate((html) => html.scrollHeight - html.clientHeight)).toBe(0);

  await app.page.reload();
  await session.message.waitFor();
  await session.message.press("Alt+g");
  await waiting.nth(1).waitFor();
  await hunk("Lines 2–8 of notes.txt").getByText("Discard waits").waitFor();
  await waiting.first().getByRole("button", { name: "Cancel discarding in added.txt" }).click();
  await frame.getByText("A discard waits for the end of the turn").waitFor();

  await write(root, { ".git/go": "" });
  await lines.nth(1).waitFor();
  await waiting.first().waitFor({ state: "detached" });
  const notes = (await readFile(join(root, "notes.txt"), "utf8")).split("\n");
  expect([notes[4], notes[29], notes[39]]).toEqual(["line 5", "thirty", "forty"]);
  await expectSoon(() => readFile(join(root, "added.txt"), "utf8")).toBe("new\n");
});

test("the lines of a hunk stand in one line, and the head of a file covers what is scrolled under it", async () => {
  await using server = await startTestServer({
    agents: { editor: { ...guideWith(), name: "Editor", permissions: "all" } },
  });
  const root = await server.directory("shop");
  git(root, "init", "-q", "-b", "main");
  const long = LINES.map((line) => `${line}${" and so on".repeat(30)}`);
  await write(root, { "notes.txt": `${long.join("\n")}\n` });
  git(root, "add", "-A");
  git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first");
  await using app = await chromium.open(server);
  await app.addProject(root);
  const session = await app.newSession("shop", "Editor");
  await session.ask("run sed -i 's/^line [0-9]* /changed /' notes.txt", "succeeded");
  await session.message.press("Alt+g");
  const { frame } = session;
  const head = frame.getByRole("heading", { name: "Lines 1–40", exact: true });
  await head.waitFor();
  const lineHeight = (await frame.getByText("Viewed", { exact: true }).first().boundingBox())?.height ?? 0;
  await app.page.setViewportSize({ width: 390, height: 600 });
  await expectSoon(async () => (await head.boundingBox())?.height).toBeLessThan(1.5 * lineHeight);
  const body = frame.getByRole("region", { name: "Hunks" });
  await body.evaluate((element) => element.scrollTo(0, 200));
  const topOf = async (place: Locator) => (await place.boundingBox())?.y;
  await expectSoon(async () => (await topOf(frame.locator(".review-file-head"))) === (await topOf(body))).toBe(true);
});

test("[WS-18] [WS-23] a commit can take the kept changes alone; the others stay in the file, to be reviewed", async () => {
  await using server = await startTestServer({
    agents: { editor: { ...guideWith(), name: "Editor", permissions: "all" } },
  });
  const root = await server.directory("shop");
  git(root, "init", "-q", "-b", "main");
  await write(root, { "notes.txt": `${LINES.join("\n")}\n` });
  git(root, "add", "-A");
  git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first");
  git(root, "config", "user.name", "The User");
  git(root, "config", "user.email", "user@example.org");
  await using app = await chromium.open(server);
  await app.addProject(root);
  const session = await app.newSession("shop", "Editor");
  await session.ask(CHANGE, "succeeded");
  const { frame } = session;
  const { keyboard } = app.page;
  await session.message.press("Alt+g");
  const current = frame.locator(".hunk[aria-current]");
  await frame.getByRole("region", { name: "Line 1 of added.txt", exact: true }).and(current).waitFor();
  await keyboard.press("c");
  const form = frame.getByRole("form", { name: "Commit" });
  await form.getByRole("textbox", { name: "Commit message" }).fill("Five");
  await form.getByRole("radio", { name: "Kept changes" }).check();
  await keyboard.press("Control+Enter");
  await form.getByRole("alert").getByText("Nothing is chosen.").waitFor();
  await form.getByRole("button", { name: "Cancel" }).click();
  await frame
    .getByRole("region", { name: "Lines 2–8 of notes.txt", exact: true })
    .getByRole("button", { name: "Keep" })
    .click();
  await frame.getByRole("status").getByText("Kept lines 2–8").waitFor();
  await session.frame.locator(".changes-body").press("c");
  await form.getByRole("radio", { name: "Kept changes" }).check();
  await form.getByRole("button", { name: "Commit kept changes" }).click();
  await frame
    .getByText(/^Committed 1 file as /)
    .first()
    .waitFor();
  expect(git(root, "show", "--format=%s", "--name-only", "HEAD").trim().split(/\n+/)).toEqual(["Five", "notes.txt"]);
  const committed = git(root, "show", "HEAD:notes.txt").split("\n");
  expect([committed[4], committed[29]]).toEqual(["five", "line 30"]);
  const now = (await readFile(join(root, "notes.txt"), "utf8")).split("\n");
  expect([now[4], now[29]]).toEqual(["five", "thirty"]);
  await frame.getByRole("button", { name: /^Unreviewed/ }).click();
  await frame.getByRole("region", { name: "Lines 27–33 of notes.txt", exact: true }).waitFor();
  await frame.getByRole("region", { name: "Lines 2–8 of notes.txt", exact: true }).waitFor({ state: "detached" });
});
