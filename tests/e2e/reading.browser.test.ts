import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { openChat } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

/** Within this distance of the end counts as at the end. */
const END_NEAR_PX = 50;
const MANY_WORDS = 3_000;

const chromium = useChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test("TC-3.5a the composer is pinned to the bottom and works with any history", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  const bottom = async () => {
    const box = await session.message.boundingBox();
    if (!box) throw new Error("the composer is not in view");
    return box.y + box.height;
  };
  const height = app.page.viewportSize()?.height ?? 0;
  // The agent's options are the last to come into the composer.
  await session.frame.getByRole("combobox", { name: "Voice" }).waitFor();
  const empty = await bottom();
  expect(empty).toBeLessThan(height);
  expect(empty).toBeGreaterThan(height - 120);
  await session.ask(`stream ${MANY_WORDS} words`, `w${MANY_WORDS}`);
  expect(Math.abs((await bottom()) - empty)).toBeLessThan(2);
  await session.scrollUp(2_000);
  expect(Math.abs((await bottom()) - empty)).toBeLessThan(2);
  await session.ask("stream 2 words", "w1 w2");
});

test("TC-3.5b while the agent works, the session, its tab and its row show it", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.say("sleep");
  await session.status.getByText("working").waitFor();
  await app.untilRowSays("sleep", "working");
  await expectSoon(() => app.tab("sleep").getAttribute("aria-description")).toContain("working");
  await session.cancel.click();
  await session.status.getByText("ready").waitFor();
  await app.untilRowSays("sleep", /^((?!working).)*$/);
});

test("TC-3.6a the view follows; TC-3.6b scrolling up stops that; TC-3.6c Jump to latest resumes it", async () => {
  await using chat = await openChat(chromium, server);
  const { session } = chat;
  const jump = session.button("Jump to latest");
  for (const _ of [1, 2, 3, 4, 5, 6]) {
    await session.ask("stream 150 words", "w150");
    await expectSoon(() => session.toEnd()).toBeLessThanOrEqual(END_NEAR_PX);
  }
  await expectSoon(() => jump.isVisible()).toBe(false);
  await session.say("stream 100000 words at 400/s");
  // The beginning of a long answer stays in view; a reader who goes to the end follows it from there.
  await jump.waitFor();
  await jump.click();
  await session.untilSaid("w1200");
  await expectSoon(() => session.toEnd()).toBeLessThanOrEqual(END_NEAR_PX);
  await expectSoon(() => jump.isVisible()).toBe(false);

  const held = await session.scrollUp(1_500);
  await jump.waitFor();
  const away = await session.toEnd();
  await waitFor(
    () => session.toEnd(),
    (distance) => distance > away + 200,
    "more text below",
  );
  expect(await session.scrollTop()).toBe(held);

  await jump.click();
  await jump.waitFor({ state: "hidden" });
  await session.cancel.click();
  await session.untilIdle();
  await expectSoon(() => session.toEnd()).toBeLessThanOrEqual(END_NEAR_PX);
});

test("TC-3.7a Cancel is there while a turn runs; TC-3.7b it keeps the partial text; TC-3.7c it is gone when idle", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await expectSoon(() => session.cancel.count()).toBe(0);
  await session.say("stream 100000 words at 50/s");
  await session.cancel.waitFor();
  await session.untilSaid("w9");
  await session.cancel.click();
  await session.cancel.waitFor({ state: "detached" });
  await session.transcript.getByText("Stopped. Everything received so far was kept.").waitFor();
  const [kept = ""] = await session.texts("assistant");
  expect(kept).toStartWith("w1 w2 w3 w4 w5 w6 w7 w8 w9");
  await session.ask("stream 2 words", "w1 w2");
  expect(await session.texts("assistant")).toEqual([kept, "w1 w2"]);
  expect(app.sent("session:cancel")).toHaveLength(1);
});

test("TC-3.7b Esc cancels a running turn, and asks once", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.say("sleep");
  await session.untilSaid("Sleeping");
  await session.message.press("Escape");
  await session.frame.getByText("Press Esc again to cancel").waitFor();
  expect(app.sent("session:cancel")).toEqual([]);
  await session.message.press("Escape");
  await session.untilIdle();
  expect(app.sent("session:cancel")).toHaveLength(1);
});
