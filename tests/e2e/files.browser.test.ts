import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FrameLocator, Locator } from "playwright-core";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { write } from "../workspace/git-scene.ts";
import { openChat } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const ROWS_SHOWN_MAX = 200;
const ROW_CHARS_MAX = 1_000;

const chromium = useChromium();
let server: TestServer;
/** What the editor was started with. */
let told: string;
beforeAll(async () => {
  server = await startTestServer({
    prepare: async (dataDir) => {
      told = join(dataDir, "told");
      const editor = join(dataDir, "editor");
      await writeFile(editor, `#!/bin/sh\necho "$1" > '${told}.part'\nmv '${told}.part' '${told}'\n`, { mode: 0o755 });
      const agents = { scripted: scriptedAgent() };
      await writeFile(join(dataDir, "config.json"), JSON.stringify({ agents, editor: [editor, "{file}:{line}"] }));
    },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const SOURCE = Array.from({ length: 30 }, (_, index) => `const line${index + 1} = ${index + 1};\n`).join("");

async function openFiles(files: Parameters<typeof write>[1]) {
  const chat = await openChat(chromium, server, { agent: "Scripted" });
  await write(chat.path, files);
  return { ...chat, frame: chat.session.frame };
}

const treeItem = (frame: FrameLocator, name: string): Locator => frame.getByRole("treeitem", { name, exact: true });
const lineNumber = (frame: FrameLocator, line: number): Locator => frame.locator(`.n[data-line="${line}"]`).first();

test("files are found by keyboard; their lines are mentioned in the message and opened in the editor", async () => {
  await using chat = await openFiles({ "src/retry/after.ts": SOURCE, "src/a.ts": "", "README.md": "# Hello\n" });
  const { app, session, frame, path } = chat;
  await session.message.press("Alt+e");
  const filter = frame.getByRole("textbox", { name: "Filter files" });
  await treeItem(frame, "README.md").waitFor();
  await filter.press("ArrowDown");
  const tree = frame.getByRole("tree", { name: "Files" });
  await tree.press("ArrowRight");
  await treeItem(frame, "a.ts").waitFor();
  await tree.press("ArrowDown");
  await tree.press("ArrowRight");
  await treeItem(frame, "after.ts").waitFor();
  await tree.press("ArrowDown");
  await tree.press("Enter");
  await lineNumber(frame, 9).click();
  await lineNumber(frame, 13).click({ modifiers: ["Shift"] });
  await frame.getByText("Lines 9–13 of 30").waitFor();
  await frame.locator(".source .hljs-keyword").first().waitFor();

  await session.button("Open in editor").click();
  await waitFor(() => Bun.file(told).exists(), Boolean, "the editor to be started");
  await expectSoon(() => readFile(told, "utf8")).toBe(`${join(path, "src/retry/after.ts")}:9\n`);

  await session.message.fill("Explain");
  await session.button("Insert @mention").click();
  await expectSoon(() => session.message.inputValue()).toBe("Explain @src/retry/after.ts:9-13 ");
  await session.message.press("Enter");
  await waitFor(
    () => app.sent("session:send").length,
    (count) => count === 1,
    "the message to be sent",
  );
  expect(app.sent("session:send")[0]?.["attachments"]).toEqual([
    { type: "link", uri: pathToFileURL(join(path, "src/retry/after.ts")).href, name: "src/retry/after.ts" },
  ]);

  // Over the message, it makes room for it; it opens as it was closed.
  await session.message.press("Alt+e");
  await frame.getByText("Lines 9–13 of 30").waitFor();
  await filter.fill("read");
  await treeItem(frame, "README.md").waitFor();
  await filter.press("Enter");
  await frame.getByText("# Hello").waitFor();
  await rm(join(path, "README.md"));
  await session.button("Refresh").click();
  await frame.getByText(/There is no such file in the directory: README\.md/).waitFor();
  await filter.press("Escape");
  await filter.press("Escape");
  await frame.getByRole("complementary", { name: "Files" }).waitFor({ state: "detached" });
});

test("a path in the transcript opens its file at its line; what leads to no file has a menu only", async () => {
  await using chat = await openFiles({ "src/retry/after.ts": SOURCE, "a.txt": "x\n" });
  const { session, frame } = chat;
  // As Git names it, from the top of a repository that the project is a directory of.
  const fromTop = `${basename(chat.path)}/src/retry/after.ts:12`;
  const words = `See \`after.ts:9\`, \`src/gone.ts:3\`, \`${fromTop}\`, \`<b>a.txt</b>\` and \`Date.now\`. The end.`;
  await session.ask(script(chunk(words), { end: "end_turn" }), "The end.");
  // Paths are only requested when they are clicked.
  expect(chat.app.sent("files:read", "files:search", "files:list")).toEqual([]);
  await expectSoon(() => session.entries("assistant").locator("code.path-link").allInnerTexts()).toEqual([
    "after.ts:9",
    "src/gone.ts:3",
    fromTop,
  ]);
  await frame.getByRole("link", { name: "src/gone.ts:3" }).click();
  await frame.getByRole("menu", { name: "File gone.ts" }).press("Escape");
  await frame.getByRole("link", { name: "after.ts:9" }).press("Enter");
  await frame.getByText("Line 9 of 30").waitFor();
  await treeItem(frame, "after.ts").waitFor();
  await expectSoon(() => frame.locator('[data-here="true"]').textContent()).toBe("const line9 = 9;");
  await frame.getByRole("link", { name: fromTop }).press("Enter");
  await frame.getByText("Line 12 of 30").waitFor();
});

test("[WS-22] 50,000 lines, a line of 1 MB and hidden characters: only what is near the view exists, and all is text", async () => {
  const many = Array.from({ length: 50_000 }, (_, index) => `line ${index + 1}\n`).join("");
  await using chat = await openFiles({
    "many.txt": many,
    "long.txt": `${"x".repeat(1_000_000)}\nend\n`,
    "hidden.html": "<img src=x onerror=alert(1)>\u202e</b>\u200b\n",
    "na\u202eme<b>.txt": "",
  });
  const { session, frame } = chat;
  await session.button("Files").click();
  await treeItem(frame, "many.txt").click();
  const rows = frame.locator(".source-row");
  await rows.first().waitFor();
  const source = frame.getByRole("region", { name: "Lines" });
  // The rest is read as the reader gets near it.
  await waitFor(
    async () => {
      await source.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return rows.last().textContent();
    },
    (text) => text?.includes("line 50000") === true,
    "the last line",
  );
  await expectSoon(() => rows.count()).toBeLessThan(ROWS_SHOWN_MAX);
  await frame.getByText("50,000 lines").waitFor();

  await treeItem(frame, "long.txt").click();
  await frame.getByText("1+ lines").waitFor();
  const widest = () => rows.evaluateAll((all) => Math.max(...all.map((row) => row.textContent?.length ?? 0)));
  await expectSoon(widest).toBe(ROW_CHARS_MAX);
  await expectSoon(() => rows.count()).toBeLessThan(ROWS_SHOWN_MAX);

  await treeItem(frame, "hidden.html").click();
  await frame.locator(".source .unseen").first().waitFor();
  await expectSoon(() => rows.allInnerTexts()).toEqual(["<img src=x onerror=alert(1)>U+202E</b>U+200B"]);
  await expectSoon(() => frame.locator(".tree-item .unseen").allInnerTexts()).toEqual(["U+202E"]);
  await expectSoon(() => frame.locator(".files-frame :is(img, .source b)").count()).toBe(0);
});
