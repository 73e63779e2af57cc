import { expect, test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

/** Waits until these messages wait, in this order. */
async function untilQueued(session: SessionView, ...contents: readonly string[]): Promise<void> {
  await waitFor(
    () => session.queued.locator(".truncate").allInnerTexts(),
    (seen) => Bun.deepEquals(seen, contents),
    `the queue ${contents.join(", ")}`,
  );
}

const row = (session: SessionView, content: string) => session.queued.filter({ hasText: content });

test("X-6 two windows order, drop and send one queue, by keyboard and by mouse, and agree", async () => {
  await using server = await startTestServer();
  await using here = await chromium.open(server);
  await here.addProject(await server.directory("demo"));
  const one = await here.newSession("demo");
  await one.say("sleep");
  await one.untilSaid("Sleeping");
  await using there = await chromium.open(server);
  const other = await there.open("sleep");
  for (const content of ["stream 1 words", "stream 2 words", "stream 3 words"]) await one.say(content);
  await untilQueued(other, "stream 1 words", "stream 2 words", "stream 3 words");

  const grip = row(other, "stream 3 words").getByRole("button", { name: "Move queued message 3" });
  await grip.focus();
  await there.page.keyboard.press("ArrowUp");
  await untilQueued(one, "stream 1 words", "stream 3 words", "stream 2 words");
  await row(one, "stream 1 words").dragTo(row(one, "stream 2 words"));
  await untilQueued(other, "stream 3 words", "stream 2 words", "stream 1 words");
  await row(other, "stream 2 words").getByRole("button", { name: "Remove queued message" }).click();
  await untilQueued(one, "stream 3 words", "stream 1 words");

  const sendNow = row(one, "stream 1 words").getByRole("button", { name: "Send now", exact: true });
  await expectSoon(() => sendNow.getAttribute("title")).toContain("stops the running turn");
  await sendNow.press("Enter");
  await other.untilSaid("w1 w2 w3");
  await other.untilIdle();
  await expectSoon(() => other.texts("user")).toHaveLength(3);
  for (const session of [one, other]) await untilQueued(session);
});

test("X-6 what a stop holds back is shown as paused, and Resume sends it; arrow-up takes the last one back", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.say("sleep");
  await session.untilSaid("Sleeping");
  await session.say("stream 2 words");
  await session.say("take me back");
  await untilQueued(session, "stream 2 words", "take me back");
  await session.message.press("ArrowUp");
  await session.untilDraft("take me back");
  await untilQueued(session, "stream 2 words");
  await session.cancel.click();
  const resume = session.button("Resume");
  await resume.waitFor();
  await expectSoon(() => session.texts("user")).toHaveLength(1);
  await resume.press("Enter");
  await session.untilSaid("w1 w2");
  await session.untilDraft("take me back");
});

test("X-6 an edited message keeps its place; Esc ends the edit and does not arm the stop (A12)", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.say("sleep");
  await session.untilSaid("Sleeping");
  for (const content of ["stream 1 words", "stream 2 words", "stream 3 words"]) await session.say(content);
  await untilQueued(session, "stream 1 words", "stream 2 words", "stream 3 words");
  const edit = (content: string) =>
    row(session, content).getByRole("button", { name: "Edit queued message" }).press("Enter");

  await edit("stream 1 words");
  await session.untilDraft("stream 1 words");
  await session.say("stream 4 words");
  await untilQueued(session, "stream 4 words", "stream 2 words", "stream 3 words");

  await session.message.fill("a draft of mine");
  await edit("stream 2 words");
  await session.untilDraft("stream 2 words");
  await session.message.fill("something else");
  await session.message.press("Escape");
  await untilQueued(session, "stream 4 words", "stream 2 words", "stream 3 words");
  await session.untilDraft("a draft of mine");
  await expectSoon(() => session.frame.getByText("Press Esc again to cancel").count()).toBe(0);
  expect(app.sent("session:cancel")).toHaveLength(0);
});

test("X-6 Steer is beside Send while a turn runs that accepts messages, and Ctrl+Enter does the same", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await expectSoon(() => session.button("Steer").count()).toBe(0);
  await session.say("sleep");
  await session.untilSaid("Sleeping");
  await session.message.fill("to the left");
  await session.button("Steer").click();
  await session.untilSaid("Received while working: to the left");
  await session.message.fill("to the right");
  await session.message.press("Control+Enter");
  await session.untilSaid("Received while working: to the right");
  const said = (await session.texts("user")).map((text) => text.split("\n")[0]);
  expect(said).toEqual(["sleep", "to the left", "to the right"]);
  await session.cancel.click();
  await session.button("Steer").waitFor({ state: "detached" });
});
