import { expect, test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { tasksIn, traceOf } from "../support/page-trace.ts";
import { startTestServer } from "../support/test-server.ts";
import { prepareSessions } from "./open-sessions.ts";
import { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const COUNT_MESSAGES = "window.heardMessages = 0; addEventListener('message', () => { window.heardMessages += 1; })";
const SHOWN_WITHIN_MS = 100;
const FACTS_MIN = 20;

/** In the page: clicks, and returns whether the panel is shown by the time the next frame is drawn. */
const switchWithinFrame = (tab: HTMLElement, sessionId: string) =>
  new Promise<boolean>((resolve) => {
    tab.click();
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const frame = document.querySelector(`iframe[data-session-id="${sessionId}"]`);
        resolve(frame?.checkVisibility({ visibilityProperty: true }) === true);
      }),
    );
  });

test("a session in the background gets many facts in one message, touches nothing, and shows all of them at once", async () => {
  await using server = await startTestServer();
  const { say, ids, client } = await prepareSessions(server, "demo", ["talks", "watched"]);
  const talks = ids.get("talks") ?? "";
  await using app = await chromium.open(server);
  await app.row("talks").click();
  const talking = new SessionView(app.page, talks);
  await talking.message.waitFor();
  await app.row("watched").click();
  await app.tab("watched").and(app.activeTab).waitFor();
  const frame = await (await talking.iframe.elementHandle())?.contentFrame();
  await frame?.evaluate(COUNT_MESSAGES);
  await client.ask("session:history", { type: "session:open", sessionId: talks });
  const before = client.received.length;
  const facts = () => client.received.slice(before).filter((message) => "seq" in message).length;
  // So long that there are many facts even from a busy server, which puts more words into one.
  await say("talks", "stream 500 words at 100/s");
  await app.untilRowSays("talks", "unread");
  expect(facts()).toBeGreaterThan(FACTS_MIN);
  await expectSoon(() => talking.entries("assistant").count()).toBe(0);
  const heard = await frame?.evaluate<number>("window.heardMessages");
  expect(heard).toBeLessThan(facts() / 4);
  await app.tab("talks").click();
  await talking.untilSaid("w500");
});

test("TC-4.2b a switch shows the content with the next frame, for less than 100 ms of work", async () => {
  await using server = await startTestServer();
  const { say, ids } = await prepareSessions(server, "demo", ["long", "short"]);
  await say("long", "stream 4000 words");
  await say("short", "stream 3 words");
  await using app = await chromium.open(server);
  for (const title of ["long", "short"]) {
    await app.row(title).click();
    await new SessionView(app.page, ids.get(title) ?? "").untilSaid(title === "long" ? "w4000" : "w3");
  }
  const events = await traceOf(app.page, async () => {
    await app.tab("short").click();
    await app.tab("short").and(app.activeTab).waitFor();
    expect(await app.tab("long").evaluate(switchWithinFrame, ids.get("long") ?? "")).toBe(true);
  });
  const clicked = events.findLast(({ name, type }) => name === "EventDispatch" && type === "click")?.fromMs ?? 0;
  const commits = events.filter(({ name, fromMs }) => name === "Commit" && fromMs > clicked);
  const shownMs = Math.min(...commits.map(({ untilMs }) => untilMs));
  const between = tasksIn(events).filter(({ fromMs, untilMs }) => untilMs > clicked && fromMs < shownMs);
  const workMs = between.reduce((sum, task) => sum + task.workMs, 0);
  expect(workMs).toBeGreaterThan(0);
  expect(workMs).toBeLessThan(SHOWN_WITHIN_MS);
});
