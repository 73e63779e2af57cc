import { describe, expect, test } from "bun:test";
import type { Entry } from "../../src/protocol/entry.ts";
import { EntryId } from "../../src/protocol/ids.ts";
import type { ShellToPortlet } from "../../src/protocol/portlet-messages.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { waitFor } from "../support/wait-for.ts";
import { painted, until } from "./open-portlet.ts";
import { assistant, conversation, Facts, history, RUNNING, SESSION, thinking, tool, user } from "./scene.ts";
import { usePortlet } from "./use-portlet.ts";

/** Less than this is not movement: half a pixel of rounding on either side. */
const STILL_PX = 1;

const portlet = usePortlet();
const facts = new Facts();

const jump = () => portlet.frame.getByRole("button", { name: "Jump to latest" });
const topOf = (selector: string) =>
  portlet.frame.evaluate<number>(`document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().top`);
const toEnd = () =>
  portlet.frame.evaluate<number>(
    `(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop)(document.querySelector(".transcript"))`,
  );
/** Text that was in one place for so many animation frames has come to rest. */
const FRAMES_AT_REST = 10;
/** As a reader would: with the wheel, over the text. It moves some frames later, and over many frames. */
const scrollBy = async (pixels: number) => {
  const start = await portlet.frame.evaluate<number>(`document.querySelector(".transcript").scrollTop`);
  await portlet.page.mouse.move(500, 300);
  await portlet.page.mouse.wheel(0, pixels);
  await until(portlet.frame, `document.querySelector(".transcript").scrollTop !== ${start}`);
  await portlet.frame.evaluate(`new Promise((done) => {
    const log = document.querySelector(".transcript");
    const look = (before, still) => {
      if (still === ${FRAMES_AT_REST}) done();
      else requestAnimationFrame(() => look(log.scrollTop, log.scrollTop === before ? still + 1 : 0));
    };
    look(log.scrollTop, 0);
  })`);
};
/** Waits until an entry stands so near the upper edge of the view. */
const untilNearTop = (entryId: string, withinPx: number) =>
  waitFor(
    async () => (await topOf(`[data-entry-id="${entryId}"]`)) - (await topOf(".transcript")),
    (px) => px >= 0 && px < withinPx,
    `${entryId} to be within ${withinPx} px of the upper edge`,
  );
/** Marks what the reader looks at, so that it can be found again. */
const markReading = () =>
  portlet.frame.evaluate(`(() => {
    const mark = [...document.querySelectorAll("article p")].find((p) => p.getBoundingClientRect().top > 120);
    mark.setAttribute("data-reading", "");
  })()`);
/** The furthest the marked text moved while something happened, sampled in every frame. */
const movementDuring = async (happen: () => Promise<void>) => {
  await markReading();
  await portlet.frame.evaluate(`(() => {
    const mark = document.querySelector("[data-reading]");
    const start = mark.getBoundingClientRect().top;
    globalThis.moved = 0;
    const look = () => {
      moved = Math.max(moved, Math.abs(mark.getBoundingClientRect().top - start));
      requestAnimationFrame(look);
    };
    look();
  })()`);
  await happen();
  await painted(portlet.frame);
  return portlet.frame.evaluate<number>("moved");
};

describe("at the end", () => {
  test("[TC-3.6a] the view follows what arrives", async () => {
    await portlet.show(history(conversation(10), { turn: RUNNING }), facts.update(assistant("a", "Start.")));
    for (let line = 0; line < 5; line += 1) await portlet.show(facts.chunk("a", `\n\nParagraph ${line}`));
    for (let step = 0; step < 40; step += 1) await portlet.show(facts.update(tool(`t-${step}`, `Step ${step}`)));
    await portlet.show(facts.update(assistant("b", "Done.")));
    await expectSoon(toEnd).toBeLessThan(STILL_PX);
    await expectSoon(() => jump().isVisible()).toBe(false);
  });

  test("[TC-3.6a] a long answer keeps its beginning in view, until the reader goes to the end (D3)", async () => {
    await portlet.show(history([...conversation(10), user("u", "Tell me")], { turn: RUNNING }));
    await portlet.show(facts.update(assistant("a", "Start.")));
    for (let line = 0; line < 60; line += 1) await portlet.show(facts.chunk("a", `\n\nParagraph ${line}`));
    await untilNearTop("u", 40);
    await expectSoon(toEnd).toBeGreaterThan(500);
    await portlet.frame.getByText("Start.", { exact: true }).waitFor({ state: "visible" });
    await jump().click();
    await painted(portlet.frame);
    for (let line = 0; line < 20; line += 1) await portlet.show(facts.chunk("a", `\n\nLater ${line}`));
    await expectSoon(toEnd).toBeLessThan(STILL_PX);
    await expectSoon(() => jump().isVisible()).toBe(false);
  });

  test("a long answer that arrives at once, or while the frame is hidden, is shown from its beginning (D3)", async () => {
    const long = Array.from({ length: 60 }, (_, line) => `Paragraph ${line}`).join("\n\n");
    await portlet.show(history(conversation(10), { turn: RUNNING }));
    await portlet.show({ type: "portlet:visible", visible: false });
    await portlet.show(facts.update(user("u", "Tell me")), facts.update(assistant("a", long)));
    await portlet.show({ type: "portlet:visible", visible: true });
    await untilNearTop("u", 40);
  });

  test("a session that is opened shows its end, however long its last answer is", async () => {
    const long = Array.from({ length: 60 }, (_, line) => `Paragraph ${line}`).join("\n\n");
    await portlet.show(history([...conversation(3), assistant("a", long)]));
    await expectSoon(toEnd).toBeLessThan(STILL_PX);
  });

  test("Home twice goes to the first message, Alt+End back to the latest (D3)", async () => {
    await portlet.show(history(conversation(20, 20), { hasMore: true }));
    await portlet.frame.locator(".transcript").focus();
    for (const key of ["Home", "Home"]) await portlet.page.keyboard.press(key);
    const { before } = await portlet.heard("session:page");
    await portlet.show({
      type: "session:page",
      before: EntryId.parse(before),
      entries: conversation(20),
      hasMore: false,
    });
    const first = portlet.frame.locator('[data-entry-id="u0"]');
    await first.waitFor();
    await untilNearTop("u0", 60);
    await portlet.page.keyboard.press("Alt+End");
    await painted(portlet.frame);
    await expectSoon(toEnd).toBeLessThan(STILL_PX);
  });

  test("[X-3] a message that is being edited keeps its text, however far away the reader goes meanwhile", async () => {
    await portlet.show(history(conversation(300)));
    const log = portlet.frame.locator(".transcript");
    const first = portlet.frame.locator('[data-entry-id="u0"]');
    await log.press("Home");
    await first.locator(".edit-message").press("Enter");
    await portlet.page.keyboard.type("and more");
    const typed = await first.getByRole("textbox", { name: "Edited message" }).inputValue();
    await log.press("End");
    await portlet.frame.locator('[data-entry-id="a299"]').waitFor();
    await expectSoon(() => portlet.frame.locator('[data-entry-id="u30"]').count()).toBe(0);
    await log.press("Home");
    await untilNearTop("u0", 60);
    await expectSoon(() => first.getByRole("textbox", { name: "Edited message" }).inputValue()).toBe(typed);
  });

  for (const hasMoved of [false, true])
    test(`an entry that was fetched first ${hasMoved ? "leaves the keyboard to who moved it meanwhile" : "takes the keyboard"}`, async () => {
      await portlet.show(history(conversation(4, 100), { hasMore: true }));
      await portlet.frame.getByRole("textbox", { name: "Message" }).focus();
      await portlet.show({ type: "portlet:reveal", entryId: EntryId.parse("u7") });
      const { before } = await portlet.heard("session:page");
      const edit = portlet.frame.locator('[data-entry-id="u103"]').getByRole("button", { name: "Edit and resend" });
      if (hasMoved) await edit.focus();
      await portlet.show({
        type: "session:page",
        before: EntryId.parse(before),
        entries: conversation(20, 5),
        hasMore: false,
      });
      await portlet.frame.locator('[data-entry-id="u7"][data-found]').waitFor();
      const holder = "document.activeElement?.closest('article')?.dataset.entryId";
      expect(await portlet.frame.evaluate(holder)).toBe(hasMoved ? "u103" : "u7");
    });

  test("[TC-3.6b] [TC-3.6c] scrolling up stops that and offers the way back", async () => {
    await portlet.show(history(conversation(20), { turn: RUNNING }), facts.update(assistant("a", "Start.")));
    await scrollBy(-400);
    await jump().waitFor();
    const before = await toEnd();
    await portlet.show(facts.chunk("a", "\n\nMore"), facts.chunk("a", "\n\nand more"));
    await expectSoon(toEnd).toBeGreaterThan(before);
    await jump().click();
    await painted(portlet.frame);
    await expectSoon(toEnd).toBeLessThan(STILL_PX);
    await portlet.show(facts.chunk("a", "\n\nStill following"));
    await expectSoon(toEnd).toBeLessThan(STILL_PX);
  });

  test("[TC-3.5a] a taller composer does not hide the newest content", async () => {
    await portlet.show(history(conversation(10)));
    await portlet.frame.getByRole("textbox", { name: "Message" }).fill("line\n".repeat(10));
    await painted(portlet.frame);
    await expectSoon(toEnd).toBeLessThan(STILL_PX);
  });
});

describe("the reader's place does not move", () => {
  test("while an answer streams below", async () => {
    await portlet.show(history(conversation(20), { turn: RUNNING }), facts.update(assistant("a", "Start.")));
    await scrollBy(-600);
    const moved = await movementDuring(async () => {
      for (let line = 0; line < 40; line += 1) await portlet.show(facts.chunk("a", `\n\n- item ${line}\n`));
    });
    expect(moved).toBeLessThan(STILL_PX);
  });

  test("while the very text one reads grows at its end", async () => {
    const long = Array.from({ length: 60 }, (_, line) => `Paragraph ${line} of a long answer.`).join("\n\n");
    await portlet.show(history([user("u", "Tell me")], { turn: RUNNING }), facts.update(assistant("a", long)));
    await scrollBy(-900);
    const moved = await movementDuring(async () => {
      for (let line = 0; line < 40; line += 1)
        await portlet.show(facts.chunk("a", `\n\nNew ${line} **bold** \`code\``));
    });
    expect(moved).toBeLessThan(STILL_PX);
  });

  test("while thinking above folds away and a tool above prints", async () => {
    const thoughts = "A thought that takes its lines.\n\n".repeat(12);
    const run = tool("t", "make", { status: "running", kind: "execute", input: { command: "make" }, result: "" });
    await portlet.show(
      history(conversation(3), { turn: RUNNING }),
      facts.update(run),
      facts.update(thinking("k", thoughts)),
    );
    await portlet.frame.locator('[data-entry-id="t"] button').click();
    await portlet.show(facts.update(assistant("a", "An answer line.\n\n".repeat(60))));
    await scrollBy(-700);
    const moved = await movementDuring(async () => {
      for (let line = 0; line < 20; line += 1) await portlet.show(facts.chunk("t", `output ${line}\n`, "result"));
      await portlet.show(facts.update({ ...thinking("k", "Shorter.") }));
    });
    expect(moved).toBeLessThan(STILL_PX);
  });

  test("when older entries come in above", async () => {
    await portlet.show(history(conversation(20, 100), { hasMore: true }));
    await portlet.frame.locator(".transcript").press("Home");
    await portlet.heard("session:page");
    await scrollBy(150);
    const page = conversation(60, 40);
    const moved = await movementDuring(() =>
      portlet.show({ type: "session:page", before: EntryId.parse("u100"), entries: page, hasMore: false }),
    );
    expect(moved).toBeLessThan(STILL_PX);
    // Just above the view: it is real once the page is idle.
    await portlet.frame.locator('[data-entry-id="a99"]').waitFor({ state: "attached" });
  });

  test("when the reader scrolls into what was only guessed: the text moves as far as the wheel, no more, no less", async () => {
    await portlet.show(history(conversation(120)));
    // What lies just above the view is built once the page is idle, and would be built under the first turn of the wheel.
    await until(
      portlet.frame,
      `(() => {
        const log = document.querySelector(".transcript");
        return document.querySelector("article").getBoundingClientRect().top < log.getBoundingClientRect().top - log.clientHeight;
      })()`,
    );
    await markReading();
    for (let turn = 1; turn <= 4; turn += 1) {
      const before = await topOf("[data-reading]");
      await scrollBy(-500);
      expect(Math.abs((await topOf("[data-reading]")) - before - 500)).toBeLessThan(STILL_PX);
    }
  });

  test("when a line is opened and closed: its header stays under the pointer", async () => {
    const lines = Array.from({ length: 80 }, (_, line) => `line ${line}`).join("\n");
    await portlet.show(history([...conversation(4), tool("t", "cat log", { result: lines }), assistant("z", "End.")]));
    const header = '[data-entry-id="t"] > button';
    const before = await topOf(header);
    await portlet.frame.locator(header).click();
    await painted(portlet.frame);
    expect(Math.abs((await topOf(header)) - before)).toBeLessThan(STILL_PX);
    await expectSoon(() => jump().isVisible()).toBe(true);
    await portlet.frame.locator(header).click();
    await painted(portlet.frame);
    await expectSoon(toEnd).toBeLessThan(STILL_PX);
  });
});

/** Milliseconds from a message's arrival to the paint that shows it. */
async function timeToShow(message: ShellToPortlet): Promise<number> {
  return portlet.page.evaluate<number>(`new Promise((done) => {
    const started = performance.now();
    post([${JSON.stringify(message)}]);
    const look = () => frames[0].document.querySelector("article") ? done(performance.now() - started) : requestAnimationFrame(look);
    look();
  })`);
}

async function median(rounds: number, measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await measure());
  return times.sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0;
}

describe("long sessions", () => {
  const PAGES = 20;
  const PAGE_TURNS = 334;

  test("[X-3] of twenty thousand entries only those near the view are in the page", async () => {
    await portlet.show(history(conversation(67, PAGES * PAGE_TURNS), { hasMore: true }));
    for (let page = PAGES - 1; page >= 0; page -= 1) {
      const before = EntryId.parse(`u${(page + 1) * PAGE_TURNS}`);
      const entries = conversation(PAGE_TURNS, page * PAGE_TURNS);
      await portlet.show({ type: "session:page", before, entries, hasMore: page > 0 });
    }
    const count = () => portlet.frame.locator("article").count();
    await expectSoon(count).toBeLessThan(200);
    await portlet.frame.locator(".transcript").press("Home");
    await portlet.frame.locator('[data-entry-id="u0"]').waitFor();
    await painted(portlet.frame);
    await expectSoon(count).toBeLessThan(300);
    await portlet.frame.locator(".transcript").press("End");
    await portlet.frame.locator(`[data-entry-id="a${PAGES * PAGE_TURNS + 66}"]`).waitFor();
    const long = await chunkCost(facts);
    await portlet.reload();
    await portlet.show(SESSION, history(conversation(7)));
    const short = await chunkCost(new Facts());
    console.log(`a chunk in 20,000 entries: ${long.toFixed(2)} ms; in 21: ${short.toFixed(2)} ms`);
  });

  test("[X-3] a session opens with the rows that are in view and no other, drawn in its first frame (D14)", async () => {
    await portlet.reload();
    const opened = JSON.stringify([SESSION, history(conversation(20), { hasMore: true })]);
    const seen = await portlet.page.evaluate<{ rows: number; far: number }>(`new Promise((done) => {
      const { document, requestAnimationFrame } = frames[0];
      const look = () => {
        const rows = [...document.querySelectorAll("article")];
        if (rows.length === 0) return requestAnimationFrame(look);
        const view = document.querySelector(".transcript").getBoundingClientRect();
        const above = rows.map((row) => view.top - row.getBoundingClientRect().bottom);
        done({ rows: rows.length, far: Math.max(...above) / view.height });
      };
      post(${opened});
      requestAnimationFrame(look);
    })`);
    expect(seen.rows).toBeGreaterThan(1);
    // Of the rows that a section has beside those in view, none is a screen away.
    expect(seen.far).toBeLessThan(1);
  });

  test("[X-3] a long session opens with its newest entries, as fast as a short one", async () => {
    const open = async (entries: readonly Entry[], hasMore: boolean) => {
      await portlet.reload();
      await portlet.show(SESSION);
      const took = await timeToShow(history(entries, { hasMore }));
      await painted(portlet.frame);
      await expectSoon(toEnd).toBeLessThan(STILL_PX);
      await expectSoon(() => portlet.frame.locator(`[data-entry-id="${entries.at(-1)?.entryId}"]`).isVisible()).toBe(
        true,
      );
      return took;
    };
    const short = await median(5, () => open(conversation(7), false));
    const long = await median(5, () => open(conversation(67, 6_600), true));
    const whole = await median(3, () => open(conversation(6_667), false));
    console.log(
      `open: 21 entries ${short.toFixed(0)} ms; the newest 201 of 20,001 ${long.toFixed(0)} ms (x${(long / short).toFixed(1)}); all 20,001 in one message ${whole.toFixed(0)} ms (x${(whole / short).toFixed(1)})`,
    );
  });
});

/** Median time from the frame that brings a chunk to the end of the frame that shows it, waiting not counted. */
async function chunkCost(numbers: Facts): Promise<number> {
  await portlet.show(numbers.turn(RUNNING), numbers.update(assistant("grow", "Start.")));
  return median(30, () =>
    portlet.page.evaluate<number>(`new Promise((done) => {
      const frame = frames[0];
      const clock = () => frame.performance.now();
      let posted = 0, folded = 0, flushing = 0;
      frame.addEventListener("message", () => {
        folded = clock();
        frame.requestAnimationFrame(() => frame.setTimeout(() => done(folded - posted + clock() - flushing)));
      }, { once: true });
      frame.requestAnimationFrame(() => {
        frame.requestAnimationFrame(() => { flushing = clock(); });
        posted = clock();
        post([${JSON.stringify(numbers.chunk("grow", " word"))}]);
      });
    })`),
  );
}
