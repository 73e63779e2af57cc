import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { write } from "../workspace/git-scene.ts";
import type { AppPage } from "./app-page.ts";
import { openChat } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const dockOf = (app: AppPage): Locator => app.page.getByRole("region", { name: "Terminal" });

/** The rows on the screen, without what fills them up. */
async function screenOf(app: AppPage): Promise<string> {
  const rows = await dockOf(app).locator(".xterm-rows:visible > div").allTextContents();
  return rows
    .map((row) => row.replaceAll("\u00a0", " ").trimEnd())
    .join("\n")
    .trimEnd();
}

function untilScreen(app: AppPage, isThere: (screen: string) => boolean, what: string): Promise<string> {
  return waitFor(() => screenOf(app), isThere, what);
}

const untilShown = (app: AppPage, text: string) => untilScreen(app, (screen) => screen.includes(text), `"${text}"`);
/** Until this is the last line of a command's output, and the shell asks for the next command. */
const untilDone = (app: AppPage, text: string) =>
  untilScreen(app, (screen) => screen.split("\n").at(-2) === text, `"${text}" and a prompt`);

/** A shell in the project of a new session, ready for input. */
async function openShell() {
  const chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.message.press("Control+`");
  await dockOf(app)
    .getByRole("button", { name: /^New terminal/ })
    .first()
    .press("Enter");
  await untilScreen(app, (screen) => /\S/.test(screen), "a prompt");
  const type = async (line: string) => {
    await dockOf(app).getByRole("textbox", { name: "Terminal" }).pressSequentially(line);
    await app.page.keyboard.press("Enter");
  };
  return Object.assign(chat, { type });
}

test("[X-13] [WS-39] [WS-41] a terminal: typed into, the same after a refresh and in a second window, sized by who types, asked about, closed", async () => {
  await using chat = await openShell();
  const { app, session, path, type } = chat;
  await type("pwd; printf '\\033[32mgreen\\033[0m\\n'; echo d''one");
  const before = await untilDone(app, "done");
  expect(before.replaceAll("\n", "")).toContain(path);
  // A tab that is clicked before its screen is loaded gets the keyboard with it.
  const loaded = Promise.withResolvers<void>();
  await app.page.route(/\/chunk-/, async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    if (body.includes("xterm")) await loaded.promise;
    await route.fulfill({ response, body });
  });
  await app.refresh();
  await dockOf(app).getByRole("tab").click();
  loaded.resolve();
  expect(await untilDone(app, "done")).toBe(before);
  await dockOf(app).locator("textarea:focus").waitFor();

  await using other = await chromium.open(server, { besides: app });
  await other.page.setViewportSize({ width: 900, height: 700 });
  await untilShown(other, "done");
  // It only looks on.
  expect(other.sent("terminal:resize")).toEqual([]);
  const columns = async (page: AppPage) => {
    // What the other window asked for comes a moment later here.
    await untilScreen(page, (screen) => !/^\d+ \d+$/m.test(screen), "a clear screen");
    await dockOf(page).getByRole("textbox", { name: "Terminal" }).pressSequentially("stty size\n");
    const seen = await untilScreen(page, (screen) => /^\d+ \d+$/m.test(screen), "the size");
    await dockOf(page).getByRole("textbox", { name: "Terminal" }).pressSequentially("clear\n");
    await untilScreen(page, (screen) => !/^\d+ \d+$/m.test(screen), "a clear screen");
    return Number(/^\d+ (\d+)$/m.exec(seen)?.[1]);
  };
  const narrow = await columns(other);
  const wide = await columns(app);
  expect(wide).toBeGreaterThan(narrow);
  await expectSoon(() => columns(other)).toBe(narrow);

  await type("echo asked; echo a''bout");
  await untilDone(app, "about");
  await dockOf(app).getByRole("button", { name: "Ask about the last command" }).click();
  await waitFor(
    () => session.message.inputValue(),
    (text) => /^```\n.*\nasked\nabout\n```\n$/s.test(text),
    "the output in the message",
  );
  expect(app.sent("session:send")).toEqual([]);
  await dockOf(app)
    .getByRole("button", { name: /^Close terminal/ })
    .click();
  await dockOf(app).getByText("No terminal open").waitFor();
  await dockOf(other).getByText("No terminal open").waitFor();
});

test("[WS-39] what is typed while a terminal opens reaches its shell, and is no shortcut of the page", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.message.press("Control+`");
  const open = dockOf(app).getByRole("button", { name: /^New terminal/ });
  await open.first().press("Enter");
  await app.page.keyboard.type("echo n''one");
  await app.page.keyboard.press("Enter");
  await untilDone(app, "none");
  await app.page.reload();
  await untilShown(app, "none");
  await open.click();
  await app.page.keyboard.type("echo n''ext");
  await app.page.keyboard.press("Enter");
  await untilDone(app, "next");
  await expectSoon(() => app.page.getByRole("dialog").count()).toBe(0);
  // The server is shared with the tests below.
  await app.page.keyboard.type("exit\n");
  await dockOf(app).getByRole("button", { name: "Close", exact: true }).click();
  await untilShown(app, "none");
  await dockOf(app)
    .getByRole("button", { name: /^Close terminal/ })
    .click();
  await dockOf(app).getByText("No terminal open").waitFor();
});

test("a service of liminal.json: its command is shown before it runs, then its state, its output and its end", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session, path, name } = chat;
  const command = "echo up and running; exec sleep 1000";
  await write(path, { "liminal.json": JSON.stringify({ services: { dev: { command } } }) });
  await session.message.press("Alt+j");
  await dockOf(app).getByRole("button", { name: "Services" }).click();
  const panel = app.page.getByRole("dialog", { name: `Services of ${name}` });
  await expectSoon(() => panel.locator("code").textContent()).toBe(command);
  await panel.getByRole("button", { name: "Run dev" }).click();
  await untilShown(app, "up and running");
  const service = dockOf(app).getByRole("group", { name: "Service dev" });
  await service.getByText("Running", { exact: true }).waitFor();
  await service.getByRole("button", { name: "Stop" }).click();
  await dockOf(app).getByText("No terminal open").waitFor();
  await dockOf(app).getByRole("button", { name: "Services" }).click();
  await panel.getByRole("button", { name: "Start dev" }).waitFor();
});

test("[WS-43] output cannot write the clipboard, rename the tab or the window, or open anything but web pages", async () => {
  await using chat = await openShell();
  const { app, type } = chat;
  const { page } = app;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(`navigator.clipboard.writeText("mine")`);
  const tab = dockOf(app).getByRole("tab", { selected: true });
  const before = [await tab.getAttribute("aria-label"), await page.title()];
  await page.evaluate(`globalThis.opened = []; globalThis.open = (url) => { opened.push(String(url)); return null; };`);
  // Clipboard (OSC 52), titles (OSC 0 and 2), and links (OSC 8) that run or read something.
  const osc = (text: string) => `printf '\\033]${text}\\007'`;
  await type(`${osc("52;c;aGFja2Vk")}; ${osc("0;root@bank")}; ${osc("2;root@bank")}`);
  await type(
    ["javascript:opened.push(1)", "file:///etc/passwd", "https://a.example/ok"]
      .map((uri, index) => `${osc(`8;;${uri}`)}; printf 'link${index}x'; ${osc("8;;")}`)
      .join("; "),
  );
  // On a line of its own, also when it was typed before the prompt was there.
  await type("echo; echo d''one");
  await untilDone(app, "done");
  for (const index of [0, 1, 2]) {
    const row = dockOf(app).locator(".xterm-rows:visible > div", { hasText: `link0xlink1xlink2x` }).last();
    const cell = await row.evaluate((element) => {
      const text = String(element.textContent);
      const at = element.getBoundingClientRect();
      return { left: at.left, top: at.top + at.height / 2, chars: text.indexOf("link0x") };
    });
    const width = Number(
      await page.evaluate(`document.querySelector(".xterm-rows").firstElementChild.getBoundingClientRect().width`),
    );
    const total = Number(app.sent("terminal:resize").at(-1)?.["columns"]);
    const x = cell.left + ((cell.chars + index * 6 + 3) * width) / total;
    await page.mouse.move(x, cell.top);
    await page.mouse.click(x, cell.top);
  }
  await waitFor(
    () => page.evaluate<string[]>("opened"),
    (opened) => opened.length > 0,
    "the web page to open",
  );
  await expectSoon(() => page.evaluate<string[]>("opened")).toEqual(["https://a.example/ok"]);
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe("mine");
  expect([await tab.getAttribute("aria-label"), await page.title()]).toEqual(before);
});
