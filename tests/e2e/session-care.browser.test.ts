import { expect, test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

test("TC-2.4a TC-2.4b archiving hides a session from the list and closes its tab", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await (await app.newSession("demo")).ask("stream 1 words", "w1");
  await (await app.newSession("demo")).ask("stream 2 words", "w2");
  await app.archive("stream 2 words");
  await app.untilRows("stream 1 words");
  await app.untilTabs("stream 1 words");
  await app.tab("stream 1 words").and(app.activeTab).waitFor();
});

test("TC-2.4a archiving a session at work asks first; no leaves it alone, yes stops its turn", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.say("sleep");
  await session.untilSaid("Sleeping");
  await app.archive("sleep");
  const question = app.page.getByRole("dialog");
  await question.getByRole("button", { name: "Cancel", exact: true }).click();
  await question.waitFor({ state: "hidden" });
  expect(app.sent("session:archive")).toEqual([]);
  await expectSoon(() => session.cancel.isVisible()).toBe(true);

  await app.archive("sleep");
  await question.getByRole("button", { name: /archive/i }).click();
  await app.untilRows();
  await app.untilTabs();
  const client = await server.connect();
  const { turn } = await client.ask("session:history", { type: "session:open", sessionId: session.id });
  await waitFor(
    () => client.sessions.state(session.id).turn,
    ({ state }) => state === "idle",
    `the turn to end, which was ${turn.state}`,
  );
});

test("TC-2.5a after a restart the sessions are there and archived ones hidden; TC-2.5b their history opens", async () => {
  await using server = await startTestServer();
  const path = await server.directory("demo");
  {
    await using app = await chromium.open(server);
    await app.addProject(path);
    for (const prompt of ["stream 1 words", "stream 2 words", "stream 3 words"]) {
      await (await app.newSession("demo")).ask(prompt, "w1");
    }
    await app.archive("stream 2 words");
    await app.untilRows("stream 3 words", "stream 1 words");
  }
  await server.stop();
  await server.start();
  await using app = await chromium.open(server);
  await app.untilRows("stream 3 words", "stream 1 words");
  const session = await app.open("stream 3 words");
  await session.untilSaid("w1 w2 w3");
  await expectSoon(() => session.texts("user")).toEqual([expect.stringContaining("stream 3 words")]);
});

test("TC-4.5b a title is New Session until the first send, then derived from it at once, on every page", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await using other = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await app.untilRows("New Session");
  await app.untilTabs("New Session");
  await other.untilRows("New Session");
  await session.say("sleep");
  await app.untilTabs("sleep");
  await app.untilRows("sleep");
  await other.untilRows("sleep");
  await session.cancel.waitFor();
  await app.untilWindowTitle(/sleep/);
  await app.page.locator(`iframe[data-session-id="${session.id}"][title="sleep"]`).waitFor();
});

test("a long first message gives a title cut at a word; later messages leave it", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  const title = "Please have a look at the parser and tell me why…";
  await session.ask("Please  have a look at the parser\nand tell me why it is so slow on large files", "help");
  await app.untilTabs(title);
  await session.ask("stream 1 words", "w1");
  await expectSoon(() => app.tabTitles()).toEqual([title]);
  await expectSoon(() => app.rowTitles()).toEqual([title]);
});
