import { describe, expect, test } from "bun:test";
import { axeViolations } from "../e2e/axe-violations.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { mainThreadEvents, tasksIn } from "../support/page-trace.ts";
import { openPortlet, until } from "./open-portlet.ts";
import { openReview, playReview } from "./open-review.ts";
import { ReviewScene } from "./review-scene.ts";
import { Facts, history, IDLE, RUNNING, SESSION } from "./scene.ts";

const lines = (count: number, line: (at: number) => string) =>
  `${Array.from({ length: count }, (_, at) => line(at + 1)).join("\n")}\n`;
const OLD = lines(60, (at) => `line ${at}`);
const NEW = OLD.replace("line 5\n", "FIVE\n").replace("line 25\n", "a\nb\nc\n").replace("line 45\n", "LAST\n");
/** In the thread's own time: what the rule asks for, and what a slow machine may make of it. The counts need no clock. */
const [TASK_MS_MAX, TASK_MS_BUSY_MAX] = [50, 100];
/** A machine that is busy makes any one round slower than the page is. */
const ROUNDS_MAX = 4;
/** What one frame may add: style, layout and paint of more would be one long task. */
const ROWS_PER_FRAME_MAX = 40;
const SECTIONS_PER_FRAME_MAX = 80;
/** The seen part, 600 px on both sides of it, and the rest of a block at either end. */
const ROWS_DRAWN_MAX = 240;
/** Counts what is added between two frames. */
const COUNT_ADDED = `
  globalThis.mostAdded = { rows: 0, sections: 0 };
  const counted = { rows: 0, sections: 0 };
  const next = () => {
    for (const kind of ["rows", "sections"]) {
      mostAdded[kind] = Math.max(mostAdded[kind], counted[kind]);
      counted[kind] = 0;
    }
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) {
        if (!(node instanceof Element)) continue;
        counted.rows += node.querySelectorAll("tr").length + (node.matches("tr") ? 1 : 0);
        counted.sections += node.querySelectorAll(".review-file").length + (node.matches(".review-file") ? 1 : 0);
      }
  }).observe(document.body, { childList: true, subtree: true });`;
const FILES = 500;
/** What is at the middle of the seen part has its lines. */
const IS_VIEW_DRAWN = `(() => {
  const box = document.querySelector(".changes-body").getBoundingClientRect();
  const block = document.elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return block.some((element) => element.matches("td, .hunk-head, .review-file-head"));
})()`;
const LINES_PER_FILE = 100;

describe("the Changes view", () => {
  test("[WS-23] a commit that would be on no branch has a warning before it is made", async () => {
    await using portlet = await openPortlet();
    const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
    scene.more = { scope: { kind: "base" }, head: { branch: null, commit: "0123456789" } };
    await openReview(portlet, scene);
    const { frame } = portlet;
    await frame.getByRole("heading", { name: "Detached at 01234567" }).waitFor();
    await frame.getByRole("button", { name: "Commit", exact: true }).click();
    await frame.getByText("on no branch").waitFor();
  });

  test("[WS-18] on a phone, a file without hunks is kept by its own button; others by their hunks", async () => {
    await using portlet = await openPortlet({ width: 390, height: 800 });
    await openReview(portlet, new ReviewScene({ "empty.txt": [null, ""], "notes.txt": [OLD, NEW] }));
    const { frame } = portlet;
    const keep = (file: string) =>
      frame.getByRole("region", { name: file, exact: true }).getByRole("button", { name: `Keep file ${file}` });
    await frame.getByRole("region", { name: "Lines 2–8 of notes.txt" }).waitFor();
    await expectSoon(() => keep("notes.txt").isVisible()).toBe(false);
    await keep("empty.txt").click();
    await frame.getByRole("region", { name: "empty.txt", exact: true }).getByText("Kept").waitFor();
  });

  test("[WS-18] J, K, Y, X and U work on the current hunk, and the keyboard stays in the view", async () => {
    await using portlet = await openPortlet();
    const scene = new ReviewScene({ "src/a.ts": [OLD, NEW], "src/b.ts": [OLD, NEW] });
    await openReview(portlet, scene);
    const { frame, page } = portlet;
    const hunk = (name: string) => frame.getByRole("region", { name, exact: true });
    const current = frame.locator(".hunk[aria-current]");
    await hunk("Lines 2–8 of src/a.ts").and(current).waitFor();
    await expectSoon(() => current.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("y");
    await hunk("Lines 22–30 of src/a.ts").and(current).waitFor();
    await page.keyboard.press("x");
    await frame.getByText("Discarded", { exact: true }).waitFor();
    expect(scene.files.get("src/a.ts")?.current).toBe(NEW.replace("a\nb\nc\n", "line 25\n"));
    expect(scene.files.get("src/a.ts")?.reviewed).toBe(OLD.replace("line 5\n", "FIVE\n"));
    await frame.locator(".hunk[data-verdict=kept]").getByText("Kept").waitFor();
    await page.keyboard.press("u");
    await frame.getByText("Discarded", { exact: true }).waitFor({ state: "detached" });
    expect(scene.files.get("src/a.ts")?.current).toBe(NEW);
    await page.keyboard.press("n");
    await hunk("Lines 2–8 of src/b.ts").and(current).waitFor();
    await expectSoon(() => current.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await frame.getByRole("complementary", { name: "Changes" }).waitFor({ state: "detached" });
    expect(await portlet.problems()).toEqual([]);
  });

  test("[WS-18] the lines keep the keyboard when a button in them is scrolled away", async () => {
    await using portlet = await openPortlet();
    const long = lines(1, () => "x".repeat(200_000));
    await openReview(portlet, new ReviewScene({ "a.ts": ["short\n", long], "b.ts": [null, lines(400, String)] }));
    const { frame, page } = portlet;
    await frame.getByRole("button", { name: /more of 200,000 characters/ }).click();
    await frame.locator(".line-rest:focus").waitFor();
    await frame.locator(".changes-body").evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await frame.locator(".line-rest").waitFor({ state: "detached" });
    await frame.locator(".hunk .diff:focus").waitFor();
    await page.keyboard.press("Escape");
    await frame.getByRole("complementary", { name: "Changes" }).waitFor({ state: "detached" });
    expect(await portlet.problems()).toEqual([]);
  });

  test("opened before the session's history is here, it shows what is unreviewed", async () => {
    await using portlet = await openPortlet();
    await playReview(portlet, new ReviewScene({ "src/a.ts": [OLD, NEW] }));
    const { frame } = portlet;
    await portlet.show(SESSION);
    await frame.locator("#message").press("Alt+g");
    await frame.getByRole("complementary", { name: "Changes" }).waitFor();
    await portlet.show(history([], { changes: { files: 1, added: 1, removed: 1 } }));
    await frame.locator(".hunk[aria-current]").waitFor();
    const asked = (await portlet.said("portlet:request")).map(({ command }) => command);
    const scopes = asked.filter((command) => Reflect.get(Object(command), "type") === "changes:open");
    expect(scopes).toEqual([{ type: "changes:open", scope: { kind: "unreviewed" } }]);
    expect(await portlet.problems()).toEqual([]);
  });

  test("Esc closes the view also where nothing is focused, and the agent continues", async () => {
    await using portlet = await openPortlet();
    await openReview(portlet, new ReviewScene({ "src/a.ts": [OLD, NEW] }));
    const { frame, page } = portlet;
    await portlet.show(new Facts().turn(RUNNING));
    await frame.locator(".hunk[aria-current]").waitFor();
    await frame.evaluate("document.activeElement.blur()");
    expect(await frame.evaluate("document.activeElement === document.body")).toBe(true);
    await page.keyboard.press("Escape");
    await frame.getByRole("complementary", { name: "Changes" }).waitFor({ state: "detached" });
    await frame.getByRole("log", { name: "Transcript" }).and(frame.locator(":focus")).waitFor();
    await expectSoon(() => frame.getByText("Press Esc again to cancel").count()).toBe(0);
    expect(await portlet.said("session:cancel")).toEqual([]);
    expect(await portlet.problems()).toEqual([]);
  });

  test("Esc in the message closes the view only where it stops nothing, and the message keeps the keyboard", async () => {
    await using portlet = await openPortlet({ width: 1_400, height: 800 });
    await openReview(portlet, new ReviewScene({ "src/a.ts": [OLD, NEW] }));
    const { frame } = portlet;
    const panel = frame.getByRole("complementary", { name: "Changes" });
    const message = frame.locator("#message");
    await portlet.show(new Facts().turn(RUNNING));
    await message.press("Escape");
    await message.press("Escape");
    await portlet.heard("session:cancel");
    await expectSoon(() => panel.count()).toBe(1);
    await portlet.show(history([], { turn: IDLE }));
    await message.press("Escape");
    await panel.waitFor({ state: "detached" });
    await message.and(frame.locator(":focus")).waitFor();
    expect(await portlet.problems()).toEqual([]);
  });

  test("lines chosen by their numbers get a remark; a refresh keeps it, and all go as one message", async () => {
    await using portlet = await openPortlet();
    await openReview(portlet, new ReviewScene({ "src/a.ts": [OLD, NEW] }));
    const { frame, page } = portlet;
    const number = (n: number) => frame.locator(`td.n.new[data-n="${n}"]`);
    await number(25).hover();
    await page.mouse.down();
    await number(26).hover();
    await page.mouse.up();
    const field = frame.getByRole("textbox", { name: "Remark on lines 25–26" });
    await field.fill("Two lines are enough.");
    await field.press("Control+Enter");
    const sent = await portlet.heard("session:send");
    expect(sent["content"]).toBe(
      "A remark on your changes:\n\nsrc/a.ts:25-26\n```diff\n+a\n+b\n```\nTwo lines are enough.",
    );
    await page.keyboard.press("r");
    await frame.getByRole("textbox", { name: "Remark on line 5" }).fill("Why?");
    await frame.getByRole("button", { name: "Save" }).click();
    expect(await frame.evaluate('sessionStorage.getItem("liminal:remarks:own")')).toContain("Why?");
    expect(await portlet.problems()).toEqual([]);
  });

  test("[WS-22] names and contents never become markup, and what cannot be seen is marked", async () => {
    await using portlet = await openPortlet();
    const name = "src/<img src=x onerror=alert(1)>\u202egnp.ts";
    const text = "<script>alert(1)</script> a\u202e b\u200b c\u0000\n";
    await openReview(portlet, new ReviewScene({ [name]: [null, text] }));
    const { frame } = portlet;
    await frame.locator("tr.add").first().waitFor();
    const panel = frame.getByRole("complementary", { name: "Changes" });
    await expectSoon(() => panel.locator("img, script").count()).toBe(0);
    await expectSoon(() => frame.locator("tr.add .c").textContent()).toContain("<script>alert(1)</script>");
    await expectSoon(() => frame.locator("tr.add .unseen").allTextContents()).toEqual(["U+202E", "U+200B", "U+0000"]);
    await expectSoon(() => frame.locator(".file-row .unseen").allTextContents()).toEqual(["U+202E"]);
    await expectSoon(() => frame.locator(".review-file-head .unseen").allTextContents()).toEqual(["U+202E"]);
    expect(await portlet.problems()).toEqual([]);
  });

  test("[WS-21] 500 files with 50,000 lines and a line of 1 MB hold the page up nowhere", async () => {
    await using portlet = await openPortlet();
    const body = (file: number) =>
      lines(LINES_PER_FILE, (at) => `export const value${at} = "${file} ${"word ".repeat(6)}";`);
    const files = Object.fromEntries(
      Array.from({ length: FILES }, (_, file) => [`src/part-${file}.ts`, [null, body(file)] as const]),
    );
    const long = `${"x".repeat(1024 * 1024)}\n`;
    const scene = new ReviewScene({ "a-long-line.ts": ["short\n", long], ...files });
    const { frame, page } = portlet;
    const browser = page.context().browser();
    await frame.evaluate(COUNT_ADDED);
    let [longest, drawn] = [Number.POSITIVE_INFINITY, 0];
    for (let round = 1; round <= ROUNDS_MAX && longest >= TASK_MS_MAX; round += 1) {
      await browser?.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
      if (round === 1) await openReview(portlet, scene);
      else await frame.getByRole("log", { name: "Transcript" }).press("g");
      await frame.getByRole("button", { name: "Show 1.0 MB" }).click();
      await frame.getByRole("button", { name: /more of 1,048,576 characters/ }).click();
      const scroller = frame.locator(".changes-body");
      for (let step = 1; step <= 12; step += 1) {
        await scroller.evaluate((element, share) => element.scrollTo(0, element.scrollHeight * share), step / 12);
        await until(frame, IS_VIEW_DRAWN);
        drawn = Math.max(drawn, await frame.locator(".changes-body tr").count());
      }
      await frame
        .getByRole("region", { name: `src/part-${FILES - 1}.ts`, exact: true })
        .locator("tr.add")
        .first()
        .waitFor();
      const tasks = tasksIn(mainThreadEvents((await browser?.stopTracing()) ?? new Uint8Array()));
      longest = Math.max(...tasks.map(({ workMs }) => workMs));
      await page.keyboard.press("Escape");
      await frame.getByRole("complementary", { name: "Changes" }).waitFor({ state: "detached" });
    }
    const added = await frame.evaluate<{ rows: number; sections: number }>("mostAdded");
    const asked = scene.asked.filter(({ type }) => type === "changes:patch").length;
    console.log(
      `longest task ${longest.toFixed(0)} ms, ${drawn} rows at most, ${added.rows} in a frame, ${asked} fetched`,
    );
    expect(longest).toBeLessThan(TASK_MS_BUSY_MAX);
    expect(added.rows).toBeLessThanOrEqual(ROWS_PER_FRAME_MAX);
    expect(added.sections).toBeLessThanOrEqual(SECTIONS_PER_FRAME_MAX);
    // Drawn is what is seen and what is near, and nothing else stays.
    expect(drawn).toBeGreaterThan(ROWS_PER_FRAME_MAX);
    expect(drawn).toBeLessThan(ROWS_DRAWN_MAX);
    expect(asked).toBeLessThan(FILES / 2);
    expect(await portlet.problems()).toEqual([]);
  });

  test.each(["dark", "light"])(
    "has no accessibility violation with decisions, a remark and a notice (%s)",
    async (theme) => {
      await using portlet = await openPortlet({ width: 1_300, height: 900 }, theme);
      const scene = new ReviewScene({ "src/a.ts": [OLD, NEW], "src/new.ts": [null, "export {};\n"] });
      scene.more = {
        cutOff: { checkpointId: "c1" as never, files: 2 },
        leftOut: [{ path: "big.bin", reason: "too large" }],
      };
      await openReview(portlet, scene);
      const { frame, page } = portlet;
      await frame.locator(".hunk[aria-current]").waitFor();
      await page.keyboard.press("y");
      await page.keyboard.press("x");
      await frame.getByText("Discarded", { exact: true }).waitFor();
      await page.keyboard.press("r");
      await frame.getByRole("textbox", { name: /^Remark on/ }).fill("Why?");
      expect(await axeViolations(page)).toEqual([]);
      await frame.getByRole("button", { name: "Put back" }).click();
      await frame.getByText("A restore was interrupted").waitFor({ state: "detached" });
      expect(scene.asked).toContainEqual({ type: "checkpoint:settle", way: "put-back" });
      expect(await portlet.problems()).toEqual([]);
    },
  );

  test("an error has its reason and a retry; an empty view has a text, too", async () => {
    await using portlet = await openPortlet();
    const scene = new ReviewScene({});
    scene.refuses.set("changes:open", { code: "GIT_UNAVAILABLE", message: "Git is not installed. Install it." });
    await openReview(portlet, scene);
    const { frame } = portlet;
    await frame.getByRole("alert").getByText("Git is not installed. Install it.").waitFor();
    scene.refuses.clear();
    await frame.getByRole("button", { name: "Try again" }).click();
    await frame.getByRole("heading", { name: "Nothing to review" }).waitFor();
    // The button is gone: the view around it has the keyboard, and Esc still closes it.
    await frame.locator(".changes-frame :focus").waitFor();
    await portlet.page.keyboard.press("Escape");
    await frame.getByRole("complementary", { name: "Changes" }).waitFor({ state: "detached" });
    expect(await portlet.problems()).toEqual([]);
  });
});
