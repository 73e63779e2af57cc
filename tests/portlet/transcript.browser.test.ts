import { describe, expect, test } from "bun:test";
import { EntryId, TurnId } from "../../src/protocol/ids.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { assistant, conversation, Facts, history, IDLE, RUNNING, TURN, thinking, tool, user } from "./scene.ts";
import { usePortlet } from "./use-portlet.ts";

const portlet = usePortlet();
const facts = new Facts();

const log = () => portlet.frame.getByRole("log", { name: "Transcript" });
const entry = (id: string) => portlet.frame.locator(`article[data-entry-id="${id}"]`);
const ids = () =>
  portlet.frame.locator("article").evaluateAll((all) => all.map((one) => one.getAttribute("data-entry-id")));

test("a message of the next turn does not flash or announce the end of the last one (A14)", async () => {
  const asked = { ...user("u1", "Ask", "c1"), turnId: TURN };
  await portlet.show(history([asked, assistant("a1", "Answer.")], { turn: IDLE }));
  const next = { ...user("u2", "Ask again", "c2"), turnId: TurnId.parse("turn-2") };
  await portlet.show(facts.update(next));
  expect(await ids()).toEqual(["u1", "a1", "u2"]);
  await expectSoon(() => portlet.frame.locator("body").textContent()).not.toContain("without an answer");
  await expectSoon(() => portlet.frame.locator("main > [aria-live=polite]").textContent()).toBe("");
});

describe("entries", () => {
  test("are in order, as articles with their type, in a silent log that can be focused", async () => {
    const entries = [user("u", "Ask"), thinking("k", "Hm"), tool("t", "Read a.ts"), assistant("a", "Answer")];
    await portlet.show(history(entries));
    expect(await ids()).toEqual(["u", "k", "t", "a"]);
    await expectSoon(() => entry("t").getAttribute("data-entry-type")).toBe("tool-call");
    await expectSoon(() => entry("t").getAttribute("data-status")).toBe("complete");
    expect([await log().getAttribute("tabindex"), await log().getAttribute("aria-live")]).toEqual(["0", "off"]);
  });

  test("[TC-3.2a] an answer grows in place: the same nodes, more text, a caret at its end", async () => {
    await portlet.show(
      history([user("u", "Ask")], { turn: RUNNING }),
      facts.update(assistant("a", "First paragraph.\n\nSec")),
    );
    await entry("a")
      .locator("p")
      .first()
      .evaluate((node) => node.setAttribute("data-kept", ""));
    await expectSoon(() => entry("a").locator("[data-caret]").count()).toBe(1);
    for (const piece of ["ond", " **par", "agraph** ", "grows."]) await portlet.show(facts.chunk("a", piece));
    await expectSoon(() => entry("a").locator("p").allInnerTexts()).toEqual([
      "First paragraph.",
      "Second paragraph grows.",
    ]);
    await expectSoon(() => entry("a").locator("p[data-kept]").count()).toBe(1);
    await portlet.show(facts.turn(IDLE));
    await expectSoon(() => entry("a").locator("[data-caret]").count()).toBe(0);
  });

  test("[TC-3.2b] markdown is shown with highlighted code, and raw markup stays text", async () => {
    const text =
      "```ts\nconst a = 1;\n```\n\n<img src=x onerror=alert(1)><script>alert(2)</script>\n\n[x](javascript:alert(3))";
    await portlet.show(history([user("u", "<b>not bold</b>"), assistant("a", text)]));
    await entry("a").locator(".hljs-keyword").waitFor();
    await expectSoon(() => entry("a").locator("img, script, [href^=javascript]").count()).toBe(0);
    await expectSoon(() => entry("u").locator("b").count()).toBe(0);
    await expectSoon(() => entry("a").textContent()).toContain("<script>alert(2)</script>");
  });

  test("a fact of an earlier turn changes its entry and nothing else", async () => {
    await portlet.show(history(conversation(2)));
    await entry("a1").evaluate((node) => node.setAttribute("data-kept", ""));
    await portlet.show(facts.update({ ...assistant("a0", "Corrected."), entryId: EntryId.parse("a0") }));
    await expectSoon(() => entry("a0").textContent()).toBe("Corrected.");
    await expectSoon(() => entry("a1").getAttribute("data-kept")).toBe("");
    expect(await ids()).toEqual(["u0", "t0", "a0", "u1", "t1", "a1"]);
  });
});

describe("lines that open", () => {
  test("[TC-3.3a] [TC-3.3b] a tool call runs, completes, and opens to its output", async () => {
    const running = tool("t", "bun test", { status: "running", kind: "execute", input: { command: "bun test" } });
    await portlet.show(history([user("u", "Test it")], { turn: RUNNING }), facts.update(running));
    const line = entry("t").locator("button.line");
    await expectSoon(() => entry("t").getAttribute("data-status")).toBe("running");
    await expectSoon(() => line.textContent()).toContain("bun test");
    await expectSoon(() => entry("t").locator(".mark[data-state=working]").count()).toBe(1);
    await line.click();
    await portlet.show(facts.chunk("t", "1 pass\n", "result"), facts.chunk("t", "2 pass\n", "result"));
    await expectSoon(() => entry("t").locator(".terminal").textContent()).toBe("1 pass\n2 pass\n");
    await line.click();
    await portlet.show(facts.update({ ...running, status: "complete", result: "1 pass\n2 pass\n" }));
    await expectSoon(() => line.getAttribute("aria-expanded")).toBe("false");
    await expectSoon(() => line.textContent()).toContain("Complete");
    await expectSoon(() => entry("t").locator(".terminal").count()).toBe(0);
  });

  test("[TC-3.3c] a failed call shows its error in the line; [W-3] a cancelled one is marked", async () => {
    const failed = tool("f", "Read x.ts", { status: "error", error: "x.ts does not exist" });
    await portlet.show(history([failed, tool("c", "sleep 9", { status: "cancelled" })]));
    await expectSoon(() => entry("f").getByRole("button").textContent()).toContain("x.ts does not exist");
    await expectSoon(() => entry("c").getByRole("button").textContent()).toContain("cancelled");
  });

  test("[TC-3.4a] thinking is open while it arrives and folds away after, unless the user chose otherwise", async () => {
    const isOpen = (id: string) => entry(id).getByRole("button").getAttribute("aria-expanded");
    await portlet.show(history([user("u", "Why?")], { turn: RUNNING }), facts.update(thinking("k1", "Because")));
    expect(await isOpen("k1")).toBe("true");
    await expectSoon(() => entry("k1").textContent()).toContain("Because");
    await portlet.show(facts.update(assistant("a1", "So.")), facts.update(thinking("k2", "And yet")));
    expect([await isOpen("k1"), await isOpen("k2")]).toEqual(["false", "true"]);
    await entry("k2").getByRole("button").click();
    await entry("k2").getByRole("button").click();
    await portlet.show(facts.update(assistant("a2", "Done.")), facts.turn(IDLE));
    expect([await isOpen("k1"), await isOpen("k2")]).toEqual(["false", "true"]);
  });

  test("a change is shown as a diff that copies as code", async () => {
    const parts = [{ type: "diff" as const, path: "src/a.ts", oldText: "one\ntwo\n", newText: "one\n2\n" }];
    await portlet.show(history([tool("e", "Edit a.ts", { kind: "edit", parts })]));
    await entry("e").getByRole("button").click();
    await expectSoon(() => entry("e").locator("tr.del").textContent()).toBe("two");
    await expectSoon(() => entry("e").locator("tr.add").textContent()).toBe("2");
  });
});

describe("a hidden frame", () => {
  const visible = (isVisible: boolean) => ({ type: "portlet:visible" as const, visible: isVisible });

  test("folds without touching the page, and catches up in one step when shown", async () => {
    await portlet.show(history([user("u", "Count")], { turn: RUNNING }), facts.update(assistant("a", "one")));
    await portlet.show(visible(false));
    await portlet.frame.evaluate(`globalThis.touched = 0;
      new MutationObserver((changes) => { touched += changes.length }).observe(document.querySelector("main"),
        { subtree: true, childList: true, characterData: true, attributes: true })`);
    for (let word = 0; word < 50; word += 1) await portlet.post(facts.chunk("a", ` ${word}`));
    await portlet.show(facts.turn(IDLE));
    expect(await portlet.frame.evaluate("touched")).toBe(0);
    await portlet.post(visible(true));
    await entry("a").getByText("48 49").waitFor();
  });
});

test("(D10) an edit shows its lines, its path in the project, and its duration without the user's wait", async () => {
  const path = "/home/ada/atlas-api/src/routes.ts";
  const call = tool("t", "Edit", {
    kind: "edit",
    input: { file_path: path },
    parts: [{ type: "diff", path, oldText: "a\nb\nc\n", newText: "a\nB\nC\nd\n" }],
    startedAt: "2026-01-15T09:00:00.000Z",
    endedAt: "2026-01-15T09:01:04.000Z",
    waitedMs: 60_000,
  });
  await portlet.show(history([user("u", "Ask"), call]));
  const line = entry("t").getByRole("button", { expanded: false });
  await line.getByText("+3").waitFor();
  await expectSoon(() => line.locator(".diff-stats").textContent()).toMatch(/^\+3\s*−2$/);
  await expectSoon(() => line.locator(".target").textContent()).toBe("src/routes.ts");
  await expectSoon(() => line.locator(".target").getAttribute("title")).toBe(path);
  await expectSoon(() => line.locator(".end").textContent()).toContain("4.0 s");
});

test("in a narrow session the line of a call gives way from its target on, and its end stays in view", async () => {
  const call = tool("t", "Describe at some length what this command is going to do", {
    kind: "execute",
    input: { command: "bun test --timeout 120000 tests/portlet/transcript.browser.test.ts" },
    permission: { answer: "allowed", by: "policy", why: "Everything is allowed" },
    startedAt: "2026-01-15T09:00:00.000Z",
    endedAt: "2026-01-15T09:01:04.000Z",
  });
  await portlet.page.setViewportSize({ width: 360, height: 800 });
  await portlet.show(history([user("u", "Ask"), call]));
  const line = entry("t").getByRole("button", { expanded: false });
  await line.getByText("allowed by rule").waitFor();
  const boxOf = (place: typeof line) => place.evaluate((one) => one.getBoundingClientRect().toJSON());
  expect((await boxOf(line.locator(".end"))).right).toBeLessThanOrEqual((await boxOf(line)).right + 1);
  expect((await boxOf(line.locator(".name"))).width).toBeGreaterThan(30);
  await portlet.page.setViewportSize({ width: 1_000, height: 800 });
});

test("the answer is spoken in whole sentences by a region of its own", async () => {
  const spoken = portlet.frame.locator("[aria-live=polite] p");
  await portlet.show(history([user("u", "Go")], { turn: RUNNING }));
  await portlet.show(facts.update(assistant("a", "One is **done**. Two is")));
  await expectSoon(() => spoken.allTextContents()).toEqual(["One is done."]);
  await portlet.show(facts.chunk("a", " coming. Three"));
  await portlet.show(facts.turn(IDLE));
  await expectSoon(() => spoken.allTextContents()).toEqual(["One is done.", "Two is coming.", "Three"]);
});

test("X-15 each article names its author (D9)", async () => {
  const entries = [user("u", "Ask"), thinking("k", "Hm"), tool("t", "Read a.ts"), assistant("a", "Answer")];
  await portlet.show(history(entries));
  const names = await portlet.frame.locator("article").evaluateAll((all) => all.map((one) => one.ariaLabel));
  expect(names).toEqual(["You", "Built-in, thinking", "Built-in, tool call", "Built-in"]);
});

test("a long message is whole on paper (D12)", async () => {
  await portlet.show(history([user("u", Array.from({ length: 80 }, (_, line) => `Line ${line}`).join("\n"))]));
  const text = entry("u").locator(".user-text");
  const isCut = () => text.evaluate((one) => one.scrollHeight > one.clientHeight + 1);
  expect(await isCut()).toBe(true);
  await portlet.show({ type: "portlet:print" });
  await portlet.frame.locator(".paper-head").waitFor({ state: "attached" });
  await portlet.page.emulateMedia({ media: "print" });
  expect(await isCut()).toBe(false);
  await expectSoon(() => entry("u").locator(".show-more").isVisible()).toBe(false);
  await portlet.page.emulateMedia({ media: "screen" });
});
