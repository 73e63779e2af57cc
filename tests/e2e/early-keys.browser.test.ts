import { test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import type { AppPage } from "./app-page.ts";
import { prepareSessions } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

/** Presses a key in the moment the page is drawn, when no word of the server can have come yet. */
const pressAtFirstSight = (...keys: readonly string[]) => `new MutationObserver((_, observer) => {
  if (window !== top || document.querySelector("nav") === null) return;
  observer.disconnect();
  for (const key of ${JSON.stringify(keys)}) dispatchEvent(new KeyboardEvent("keydown", { key }));
}).observe(document, { childList: true, subtree: true })`;

const firstMessage = (app: AppPage) => app.page.getByRole("textbox", { name: "First message" });
const openDialogs = (app: AppPage) => app.page.getByRole("dialog").count();

test("X-15 a key pressed before the server has named its projects is kept: N starts a session, not a project", async () => {
  await using server = await startTestServer();
  await prepareSessions(server, "demo", ["Apricot jam"]);
  await using first = await chromium.open(server);
  await first.open("Apricot jam");
  await first.page.context().addInitScript(pressAtFirstSight("n"));
  await using second = await chromium.open(server, { besides: first });
  await second.dialog("New session").waitFor();
  await expectSoon(() => second.dialog("Add project").count()).toBe(0);
});

test("X-15 on the first page letters are the first message: from the first moment, in its field, and after a click beside it", async () => {
  await using server = await startTestServer();
  await using first = await chromium.open(server);
  await first.page.context().addInitScript(pressAtFirstSight("n", "o", "x", "Backspace", "w"));
  await using app = await chromium.open(server, { besides: first });
  await expectSoon(() => firstMessage(app).inputValue()).toBe("now");
  await app.page.keyboard.type(" on /?");
  await app.page.getByRole("heading", { name: "Run your coding agents side by side" }).click();
  await app.page.keyboard.type(" [");
  await expectSoon(() => firstMessage(app).inputValue()).toBe("now on /? [");
  await expectSoon(() => openDialogs(app)).toBe(0);
  await expectSoon(() => app.page.getByRole("heading", { name: "Run your coding agents side by side" }).count()).toBe(
    1,
  );
});

test("X-15 what is typed while the first project and its session come into being is in the composer", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.page.getByRole("radio", { checked: true }).waitFor();
  await app.page.getByRole("textbox", { name: "Directory" }).fill(await server.directory("demo"));
  await app.page.getByRole("option").or(app.page.getByText("Nothing is copied")).first().waitFor();
  await firstMessage(app).fill("stream 1 words");
  process.kill(server.pid, "SIGSTOP");
  try {
    await app.page.keyboard.press("Enter");
    await app.page.keyboard.type("now on");
  } finally {
    process.kill(server.pid, "SIGCONT");
  }
  const session = await app.shownSession();
  await expectSoon(() => session.message.inputValue()).toBe("now on");
  await session.untilSaid("w1");
  await expectSoon(() => openDialogs(app)).toBe(0);
});
