import { expect, test } from "bun:test";
import { launchChromium } from "../support/chromium.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { openChat } from "./open-sessions.ts";
import type { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

const lostBar = ({ page }: AppPage) => page.getByRole("status").filter({ hasText: "Connection lost" });

/** Waits until the server keeps what is typed: it is the last word the page sent about it, and it was answered. */
async function untilKept(server: TestServer, session: SessionView, text: string): Promise<void> {
  using client = await server.connect();
  await waitFor(
    async () => (await client.ask("session:history", { type: "session:open", sessionId: session.id })).draft,
    (draft) => draft === text,
    "the server to keep the draft",
  );
}

/** Every entry once, with its text, as the page shows it. */
function entriesOf(session: SessionView): Promise<string[]> {
  return session.transcript
    .locator("article[data-entry-id]")
    .evaluateAll((all) => all.map((one) => `${one.getAttribute("data-entry-id")} ${one.textContent}`));
}

/** Whether thoughts are collapsed is each reader's choice; their text is not. */
async function unfoldThoughts(session: SessionView): Promise<void> {
  for (const thought of await session.entries("thinking").getByRole("button").all()) {
    if ((await thought.getAttribute("aria-expanded")) === "false") await thought.click();
  }
}

test("a draft survives what comes right after the last letter: a refresh, a closed tab, a closed window", async () => {
  await using server = await startTestServer();
  await using chat = await openChat(chromium, server, { losesServer: true });
  const { app, session } = chat;
  await session.ask("stream 1 words", "w1");
  await session.message.fill("one");
  await app.refresh();
  const second = await app.shownSession();
  await second.untilDraft("one");
  await second.message.fill("one two");
  await app.closeTab("stream 1 words");
  const third = await app.open("stream 1 words");
  await third.untilDraft("one two");
  await third.message.fill("one two three");
  await third.message.press("Alt+w");
  const fourth = await app.open("stream 1 words");
  await fourth.untilDraft("one two three");
  {
    await using window = await chromium.open(server, { besides: app });
    const twin = await window.shownSession();
    await twin.untilDraft("one two three");
    await twin.message.fill("one two three four");
    await window.page.close({ runBeforeUnload: true });
  }
  await fourth.untilDraft("one two three four");
});

test("a draft survives a server that is killed, and another browser sees it", async () => {
  await using server = await startTestServer();
  await using chat = await openChat(chromium, server, { losesServer: true });
  const { session } = chat;
  await session.ask("stream 1 words", "w1");
  await session.message.fill("half a thought");
  await untilKept(server, session, "half a thought");
  await server.kill();
  await server.start();
  await using later = await chromium.open(server);
  const elsewhere = await later.open("stream 1 words");
  await elsewhere.untilDraft("half a thought");
  await session.untilDraft("half a thought");
});

test("X-1 X-19 TC-5.6b the server is killed in mid-turn: a bar shows it, typing still works, and the turn continues", async () => {
  await using server = await startTestServer();
  await using chat = await openChat(chromium, server, { losesServer: true });
  const { app, session } = chat;
  await session.ask("stream 5 words", "w5");
  await session.say("stream 100000 words at 60/s");
  await session.untilSaid("w30");
  const { port } = server;
  await server.kill();
  await lostBar(app).waitFor();
  const shown = (await session.texts("assistant"))[1] ?? "";
  await session.message.fill("typed while it was away");
  await session.untilSendIs("off");
  await server.start();
  expect(server.port).toBe(port);
  await lostBar(app).waitFor({ state: "detached" });
  await session.untilSaid("w200");
  await expectSoon(() => session.message.inputValue()).toBe("typed while it was away");
  await session.cancel.click();
  await session.untilIdle();
  const texts = await session.texts("assistant");
  expect(texts).toHaveLength(2);
  expect(texts[0]).toBe("w1 w2 w3 w4 w5");
  expect(texts[1]).toStartWith(shown.trimEnd());
  expect(texts[1]).toMatch(/^w1 w2 .*w30/);
  await session.ask("stream 7 words", "w7");
  const entries = await entriesOf(session);
  expect(new Set(entries).size).toBe(entries.length);
  await app.refresh();
  const again = await app.shownSession();
  await again.untilSaid("w7");
  await expectSoon(() => entriesOf(again)).toEqual(entries);
});

test("X-1 a message that was on its way when the server was killed arrives, and once", async () => {
  await using server = await startTestServer();
  await using chat = await openChat(chromium, server, { losesServer: true });
  const { app, session } = chat;
  await session.ask("stream 5 words", "w5");
  process.kill(server.pid, "SIGSTOP");
  await session.say("stream 6 words");
  await session.entries("user").getByText("stream 6 words").waitFor();
  await server.kill();
  await lostBar(app).waitFor();
  await expectSoon(() => session.entries("user").getByText("stream 6 words").count()).toBe(1);
  await server.start();
  await session.untilSaid("w6");
  await session.untilIdle();
  await expectSoon(() => session.texts("assistant")).toEqual(["w1 w2 w3 w4 w5", "w1 w2 w3 w4 w5 w6"]);
  await expectSoon(() => session.entries("user").count()).toBe(2);
  await app.refresh();
  const again = await app.shownSession();
  await again.untilSaid("w6");
  await expectSoon(() => again.entries("user").count()).toBe(2);
});

test("X-1 a browser that is killed with -9 loses nothing and stops nothing", async () => {
  await using server = await startTestServer();
  const doomed = await launchChromium();
  const app = await chromium.open(server, { browser: doomed });
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.say("stream 200 words at 80/s");
  await session.untilSaid("w20");
  await session.message.fill("half a thought");
  await untilKept(server, session, "half a thought");
  const gone = new Promise((resolve) => doomed.once("disconnected", resolve));
  const { processInfo } = await (await doomed.newBrowserCDPSession()).send("SystemInfo.getProcessInfo");
  const pid = processInfo.find(({ type }) => type === "browser")?.id;
  if (pid === undefined) throw new Error("the browser has no process");
  process.kill(pid, "SIGKILL");
  await gone;
  await doomed.close();

  await using later = await chromium.open(server);
  const again = await later.open("stream 200 words at 80/s");
  await again.untilSaid("w200");
  await again.untilIdle();
  const words = Array.from({ length: 200 }, (_, index) => `w${index + 1}`).join(" ");
  await expectSoon(() => again.texts("assistant")).toEqual([words]);
  await again.untilDraft("half a thought");
});

test("X-2 two browsers on one session agree, entry by entry, and each sees what the other sends", async () => {
  await using server = await startTestServer();
  await using chat = await openChat(chromium, server, { losesServer: true });
  const { session } = chat;
  await session.ask("stream 1 words", "w1");
  await using other = await chromium.open(server);
  const theirs = await other.open("stream 1 words");
  await theirs.ask("all", "That was all.");
  await session.untilSaid("That was all.");
  await session.ask("think", "I have thought about it");
  await theirs.untilSaid("I have thought about it");
  await theirs.untilIdle();
  await Promise.all([unfoldThoughts(session), unfoldThoughts(theirs)]);
  const entries = await entriesOf(session);
  expect(entries.length).toBeGreaterThan(8);
  await expectSoon(() => entriesOf(theirs)).toEqual(entries);
});

test("X-2 X-27 two windows of one browser work side by side", async () => {
  await using server = await startTestServer();
  await using chat = await openChat(chromium, server, { losesServer: true });
  const { app, session } = chat;
  await session.ask("stream 1 words", "w1");
  await using window = await chromium.open(server, { besides: app });
  const twin = await window.shownSession();
  expect(twin.id).toBe(session.id);
  await twin.say("stream 300 words at 150/s");
  await session.untilSaid("w100");
  await session.untilSaid("w300");
  await twin.untilSaid("w300");
  await session.untilIdle();
  await twin.untilIdle();
  await expectSoon(() => entriesOf(twin)).toEqual(await entriesOf(session));
});

test("X-1 a server that hangs is shown as such, and a message sent meanwhile arrives once it answers (B9)", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("stream 1 words", "w1");
  const bar = app.page.getByText("The server is not responding");
  process.kill(server.pid, "SIGSTOP");
  try {
    await session.say("stream 3 words");
    // How soon is proved where the clock is played; a busy machine adds to it here.
    await bar.waitFor();
  } finally {
    process.kill(server.pid, "SIGCONT");
  }
  await bar.waitFor({ state: "detached" });
  await session.untilSaid("w1 w2 w3");
});
