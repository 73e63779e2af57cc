import { expect, test } from "bun:test";
import { doubleText, printToNowhere } from "../gallery/reading-states.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { loadedFrames } from "./loaded-frames.ts";
import { prepareSessions } from "./open-sessions.ts";
import { answerAt, seedLongSession } from "./seed-long-session.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const TITLE = "A session with a title";
/** 1,440 pixels at twice the size. */
const ZOOMED = { width: 720, height: 450 };
/** More than one page of entries, and as much as is printed whole. */
const ENTRIES = 900;
/** More than is printed. */
const TOO_MANY_ENTRIES = 1_100;
const PRINTED_ENTRIES = 1_000;

/** Lines whose letters are cut off above or below, and parts that stick out of the window. */
const CUT_OFF = `(() => {
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const lines = [...document.querySelectorAll(".truncate, kbd, [role=tab], .row-link, .brand, .agent-status, button")].filter(shown);
  const cut = lines.filter((line) => line.clientHeight > 0 && line.scrollHeight > line.clientHeight + 2);
  const wide = document.documentElement.scrollWidth > innerWidth ? [document.documentElement] : [];
  const outside = [...document.querySelectorAll("button")].filter((button) =>
    shown(button) && !button.closest(".tabs, .row-actions") && button.getBoundingClientRect().right > innerWidth + 1);
  return [...cut, ...wide, ...outside].map((element) => element.outerHTML.slice(0, 120));
})()`;

async function openTalk(app: Awaited<ReturnType<typeof chromium.open>>, projectsHidden: boolean) {
  if (projectsHidden) await app.page.getByRole("button", { name: "Show projects" }).click();
  const session = await app.open(TITLE);
  await session.untilSaid("w30");
  return session;
}

async function cutOff(app: Awaited<ReturnType<typeof chromium.open>>): Promise<string[]> {
  const found: string[] = [];
  for (const frame of await loadedFrames(app.page)) found.push(...(await frame.evaluate<string[]>(CUT_OFF)));
  return found;
}

test("X-15 at 200 % zoom all of a session is there: nothing is cut off, nothing needs scrolling to the side", async () => {
  await using server = await startTestServer();
  await (await prepareSessions(server, "demo", [TITLE])).say(TITLE, "stream 30 words");
  await using app = await chromium.open(server, { viewport: ZOOMED });
  const session = await openTalk(app, true);
  await expectSoon(() => cutOff(app)).toEqual([]);
  const box = await session.send.boundingBox();
  expect(box && box.y + box.height <= ZOOMED.height && box.x + box.width <= ZOOMED.width).toBe(true);
});

test("X-15 text at twice its size is read whole: no line is cut off in the sidebar, the tabs, the header or the composer", async () => {
  await using server = await startTestServer();
  await (await prepareSessions(server, "demo", [TITLE])).say(TITLE, "stream 30 words");
  await using app = await chromium.open(server);
  await openTalk(app, false);
  await expectSoon(() => cutOff(app)).toEqual([]);
  await doubleText(app);
  await expectSoon(() => cutOff(app)).toEqual([]);
});

/** A session with so many answers, on its way to the printer. */
async function printAnswers(count: number) {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(
    await startTestServer({
      prepare: async (dataDir) => {
        const entryAt = (place: number) => answerAt(place, `answer ${place}`);
        await seedLongSession(dataDir, dataDir, { title: TITLE, entryCount: count, entryAt });
      },
    }),
  );
  const app = opened.use(await chromium.open(server));
  const session = await app.open(TITLE);
  await session.untilSaid(`answer ${count - 1}`);
  await printToNowhere(app);
  const stack = opened.move();
  return { app, session, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("X-15 a session prints whole: every entry, black on white, without what can only be clicked", async () => {
  await using printed = await printAnswers(ENTRIES);
  const { app, session } = printed;
  await expectSoon(() => session.entries("assistant").count()).toBe(ENTRIES);
  await expectSoon(() => session.frame.locator("body").getAttribute("data-printed")).toBe(TITLE);
  await expectSoon(() => session.message.isVisible()).toBe(false);
  await expectSoon(() => app.projects.isVisible()).toBe(false);
  const colours = await session.transcript.evaluate((log) => {
    const { color, backgroundColor, overflow } = getComputedStyle(log);
    return { color, backgroundColor, overflow };
  });
  expect(colours).toEqual({ color: "rgb(0, 0, 0)", backgroundColor: "rgb(255, 255, 255)", overflow: "visible" });
  const heights = await session.frame
    .locator("body")
    .evaluate((body) => [body.scrollHeight, body.querySelector(".column")?.scrollHeight ?? 0]);
  expect(heights[0]).toBeGreaterThanOrEqual(heights[1] ?? Number.NaN);
  await session.frame.getByRole("heading", { name: TITLE, level: 1 }).waitFor();
  await expectSoon(() => session.frame.getByText("entries of this session are printed").count()).toBe(0);
});

test("X-15 a very long session prints its end, states that on paper, and where to get the whole", async () => {
  await using printed = await printAnswers(TOO_MANY_ENTRIES);
  const { session } = printed;
  await session.frame.getByText("entries of this session are printed. To print all of it, choose Export").waitFor();
  const visible = await session
    .entries("assistant")
    .evaluateAll((entries) => entries.filter((entry) => entry.checkVisibility()).length);
  expect(visible).toBeLessThanOrEqual(PRINTED_ENTRIES);
  await session.frame.getByText(`Only the newest ${visible.toLocaleString("en-US")} entries`).waitFor();
  await expectSoon(() => session.entries("assistant").last().textContent()).toContain(`answer ${TOO_MANY_ENTRIES - 1}`);
});

test("X-15 the menu of a tab prints its session, which comes into view for it", async () => {
  await using server = await startTestServer();
  const sessions = await prepareSessions(server, "demo", [TITLE, "Another"]);
  await sessions.say(TITLE, "stream 30 words");
  await using app = await chromium.open(server);
  const session = await app.open(TITLE);
  await session.untilSaid("w30");
  await app.open("Another");
  await printToNowhere(app, async () => {
    await app.tab(TITLE).click({ button: "right" });
    await app.page.getByRole("menuitem", { name: "Print" }).click();
  });
  await expectSoon(() => session.frame.locator("body").getAttribute("data-printed")).toBe(TITLE);
});
