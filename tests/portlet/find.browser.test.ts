import { describe, expect, test } from "bun:test";
import { EntryId } from "../../src/protocol/ids.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { painted, until } from "./open-portlet.ts";
import { assistant, conversation, Facts, history, RUNNING, tool } from "./scene.ts";
import { usePortlet } from "./use-portlet.ts";

const portlet = usePortlet();
const facts = new Facts();

const field = () => portlet.frame.getByRole("textbox", { name: "Find in session" });
const untilCount = (words: string) =>
  until(portlet.frame, `document.querySelector(".find-count")?.textContent === ${JSON.stringify(words)}`);
const openFind = async (query: string) => {
  await portlet.frame.locator(".transcript").focus();
  await portlet.page.keyboard.press("Control+f");
  await field().fill(query);
};
/** Finds something else that is there once. */
const findNext = async (query: string) => {
  await field().fill("");
  await untilCount("");
  await field().fill(query);
  await untilCount("1 of 1");
};
/** What the current mark covers, and whether all of it is in view. */
const current = () =>
  portlet.frame.evaluate<{ text: string; isInView: boolean; entry: string } | null>(`(() => {
    const [range] = [...(CSS.highlights.get("find-current") ?? [])];
    if (range === undefined) return null;
    const view = document.querySelector(".transcript").getBoundingClientRect();
    const { top, bottom } = range.getBoundingClientRect();
    const entry = range.startContainer.parentElement.closest("article").dataset.entryId;
    return { text: range.toString(), isInView: top >= view.top && bottom <= view.bottom, entry };
  })()`);

describe("find in session", () => {
  test("finds what is far outside the page, counts, marks, and steps around both ends", async () => {
    await portlet.show(history(conversation(60)));
    await openFind("question 1");
    await untilCount("11 of 11");
    await expectSoon(() => current()).toEqual({ text: "Question 1", isInView: true, entry: "u19" });
    await field().press("Enter");
    await untilCount("1 of 11");
    await expectSoon(() => current()).toEqual({ text: "Question 1", isInView: true, entry: "u1" });
    await field().press("Shift+Enter");
    await untilCount("11 of 11");
    await field().press("Shift+Enter");
    await untilCount("10 of 11");
    await expectSoon(() => current()).toEqual({ text: "Question 1", isInView: true, entry: "u18" });
  });

  test("finds words across marks, in folded output that is not shown, and in the steps of a sub-agent", async () => {
    const lines = Array.from({ length: 400 }, (_, line) => `line ${line}`);
    const step = { ...tool("step", "Look around", { result: "a needle in the hay" }), parentToolCallId: "task" };
    await portlet.show(
      history([
        assistant("marked", "A **bold nee**dle stands here"),
        tool("long", "make", {
          kind: "execute",
          input: { command: "make" },
          result: lines.with(3, "needle 3").join("\n"),
        }),
        tool("task", "Explore", { status: "complete" }),
        step,
        assistant("end", "Done."),
      ]),
    );
    await openFind("bold needle");
    await untilCount("1 of 1");
    await expectSoon(() => current()).toEqual({ text: "bold needle", entry: "marked", isInView: true });
    await findNext("needle 3");
    await expectSoon(() => current()).toEqual({ text: "needle 3", entry: "long", isInView: true });
    await findNext("in the hay");
    await expectSoon(() => current()).toEqual({ text: "in the hay", entry: "step", isInView: true });
  });

  test("finds entries that were not fetched yet, and shows that it searches", async () => {
    await portlet.show(history(conversation(4, 100), { hasMore: true }));
    await openFind("Question 7");
    await untilCount("searching older…");
    const asked = await portlet.heard("session:page");
    expect(asked).toMatchObject({ before: "u100" });
    await portlet.show({
      type: "session:page",
      before: EntryId.parse("u100"),
      entries: conversation(20, 5),
      hasMore: false,
    });
    await untilCount("1 of 1");
    await expectSoon(() => current()).toEqual({ text: "Question 7", isInView: true, entry: "u7" });
  });

  test("Escape closes it, gives the keyboard back, and cancels nothing", async () => {
    await portlet.show(history(conversation(3), { turn: RUNNING }));
    const message = portlet.frame.getByRole("textbox", { name: "Message" });
    await message.focus();
    await portlet.page.keyboard.press("Control+f");
    await field().fill("nothing like it");
    await untilCount("No results");
    await field().press("Escape");
    await field().waitFor({ state: "detached" });
    await expectSoon(() => message.evaluate((element) => element === document.activeElement)).toBe(true);
    await expectSoon(() => portlet.frame.evaluate<number>("CSS.highlights.size")).toBe(0);
    await expectSoon(() => portlet.frame.getByText("Press Esc again to cancel").count()).toBe(0);
  });

  test("what streams in is counted, and the current match stays", async () => {
    await portlet.show(history(conversation(3), { turn: RUNNING }), facts.update(assistant("a", "One token")));
    await openFind("token");
    await untilCount("1 of 1");
    await portlet.show(facts.chunk("a", ", another token"), facts.chunk("a", " and a third token"));
    await untilCount("1 of 3");
    await expectSoon(() => portlet.frame.evaluate<number>(`CSS.highlights.get("find-match").size`)).toBe(3);
  });
});

describe("[X-11] steps through the user's messages", () => {
  const focused = () => portlet.frame.evaluate<string | undefined>("document.activeElement.dataset.entryId");
  test("Alt+Up and Alt+Down go from one to the next, and past the last one to the end", async () => {
    await portlet.show(history(conversation(30)));
    await portlet.frame.locator(".transcript").focus();
    const seen: (string | undefined)[] = [];
    for (const key of ["Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowDown"]) {
      await portlet.page.keyboard.press(key);
      await painted(portlet.frame);
      seen.push(await focused());
    }
    const first = Number(seen[0]?.slice(1));
    expect(seen).toEqual([`u${first}`, `u${first - 1}`, `u${first - 2}`, `u${first - 1}`]);
    for (let step = first; step <= 30; step += 1) await portlet.page.keyboard.press("Alt+ArrowDown");
    await painted(portlet.frame);
    const jump = portlet.frame.getByRole("button", { name: "Jump to latest" });
    await jump.waitFor({ state: "hidden" });
  });
});
