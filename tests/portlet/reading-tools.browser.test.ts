import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Part } from "../../src/protocol/entry.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { type OpenPortlet, openPortlet, painted } from "./open-portlet.ts";
import { assistant, history, SESSION, tool, user } from "./scene.ts";

const FILE = "/home/ada/projects/atlas-api/packages/server/src/sessions/session-service.ts";
const BEFORE = ["one", "const limit = 10;", ...Array.from({ length: 40 }, (_, line) => `same ${line}`), "end"].join(
  "\n",
);
const AFTER = BEFORE.replace("10", "20").replace("end", "end\nmore");

let portlet: OpenPortlet;
beforeAll(async () => {
  portlet = await openPortlet({ width: 1_200, height: 800 });
  await portlet.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
});
afterAll(() => portlet[Symbol.asyncDispose]());
beforeEach(async () => {
  await portlet.reload();
  await portlet.frame.evaluate("localStorage.removeItem('liminal:diff')");
  await portlet.show(SESSION, { type: "agent:status", status: "connected" });
});
afterEach(async () => expect(await portlet.problems()).toEqual([]));

const button = (name: string | RegExp) => portlet.frame.getByRole("button", { name, exact: true });
const entry = (id: string) => portlet.frame.locator(`[data-entry-id="${id}"]`);
const clipboard = () => portlet.frame.evaluate<string>("navigator.clipboard.readText()");
const edit = (id: string, ...parts: Part[]) => tool(id, "Edit files", { kind: "edit", parts });
/** One worker serves all frames; a page does not list it among its own. */
const sharedWorkers = async (page: Page) => {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { targetInfos = [] } = (await session?.send("Target.getTargets")) ?? {};
  await session?.detach();
  return targetInfos.filter(({ type }) => type === "shared_worker").length;
};
const change = (path: string): Part => ({ type: "diff", path, oldText: BEFORE, newText: AFTER });

describe("copying", () => {
  const talk = [
    user("u", "Make it **faster**"),
    tool("t", "Read", { kind: "read", input: { path: "src/a.ts" } }),
    assistant("a", "Done:\n\n- one `thing`"),
    user("v", "Thanks"),
  ];

  test("a message as it was written, by hover and by keyboard, with a confirmation", async () => {
    await portlet.show(history(talk));
    await entry("a").hover();
    await entry("a").getByRole("button", { name: "Copy message" }).click();
    await entry("a").getByRole("button", { name: "Copied" }).waitFor();
    expect(await clipboard()).toBe("Done:\n\n- one `thing`");
    await entry("u").getByRole("button", { name: "Copy message" }).focus();
    await portlet.page.keyboard.press("Enter");
    await entry("u").getByRole("button", { name: "Copied" }).waitFor();
    expect(await clipboard()).toBe("Make it **faster**");
  });

  test("a whole turn, with its authors and its steps", async () => {
    await portlet.show(history(talk));
    await entry("u").getByRole("button", { name: "Copy turn" }).focus();
    await portlet.page.keyboard.press("Enter");
    await entry("u").getByRole("button", { name: "Copied" }).waitFor();
    expect(await clipboard()).toBe(
      "**You**\n\nMake it **faster**\n\n**Built-in**\n\n- Read `src/a.ts`\n\nDone:\n\n- one `thing`\n",
    );
  });

  test("a selection gives the words that were seen and nothing else", async () => {
    await portlet.show(history(talk));
    const text = await portlet.frame.evaluate<string>(`(() => {
      getSelection().selectAllChildren(document.querySelector(".sections"));
      return getSelection().toString();
    })()`);
    expect(text).not.toMatch(/Complete|Copy|turn/);
    expect(text).toContain("one thing");
  });
});

describe("[TC-3.3b] a diff", () => {
  test("marks the words that changed, folds what did not, and shows every file of a call", async () => {
    await portlet.show(history([edit("e", change(FILE), change("src/b.ts"))]));
    await entry("e")
      .getByRole("button", { name: /Edit files/ })
      .click();
    await entry("e").locator(".diff mark").first().waitFor();
    await expectSoon(() => entry("e").locator(".diff-block").count()).toBe(2);
    const first = entry("e").locator(".diff-block").first();
    await expectSoon(() => first.locator("mark").allInnerTexts()).toEqual(["10", "20"]);
    await expectSoon(() => first.locator(".path").textContent()).toBe(
      "/home/…/packages/server/src/sessions/session-service.ts",
    );
    await expectSoon(() => first.locator(".path").getAttribute("title")).toBe(FILE);
    const rows = await first.locator("tr").count();
    await first.getByRole("button", { name: /unchanged lines/ }).click();
    await expectSoon(() => first.locator("tr").count()).toBeGreaterThan(rows);
  });

  test("is side by side when chosen and wide enough, and unified again when it is not", async () => {
    await portlet.show(history([edit("e", change(FILE))]));
    await entry("e")
      .getByRole("button", { name: /Edit files/ })
      .click();
    await button("Side by side").click();
    await expectSoon(() => button("Side by side").getAttribute("aria-pressed")).toBe("true");
    await entry("e").locator(".diff.split").waitFor();
    await expectSoon(() => entry("e").locator("td.c.old.is-del").textContent()).toContain("const limit = 10;");
    expect(await portlet.frame.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await portlet.page.setViewportSize({ width: 700, height: 800 });
    await entry("e").locator(".diff:not(.split)").waitFor();
    await button("Side by side").waitFor({ state: "hidden" });
    await portlet.page.setViewportSize({ width: 1_200, height: 800 });
    await entry("e").locator(".diff.split").waitFor();
  });

  test("[X-7] has the numbers of the file where its place is known, and none where it is not (B10)", async () => {
    const numbers = (id: string) =>
      entry(id)
        .locator("td.n")
        .evaluateAll((cells) =>
          cells.flatMap((cell) => {
            const { content } = getComputedStyle(cell, "::before");
            return content === '""' ? [] : [content];
          }),
        );
    const snippet: Part = { type: "diff", path: "a.ts", oldText: "one\ntwo", newText: "one\n2" };
    await portlet.show(
      history([
        edit("placed", { ...snippet, firstLine: 41 }),
        edit("unplaced", snippet),
        edit("new", { ...snippet, oldText: null }),
      ]),
    );
    for (const id of ["placed", "unplaced", "new"]) {
      await entry(id)
        .getByRole("button", { name: /Edit files/ })
        .click();
      await entry(id).locator("tr.add").first().waitFor();
    }
    expect(await numbers("placed")).toEqual(['"41"', '"41"', '"42"', '"42"']);
    expect(await numbers("new")).toEqual(['"1"', '"2"']);
    expect(await numbers("unplaced")).toEqual([]);
    await entry("unplaced").getByRole("button", { name: "Side by side" }).click();
    await entry("unplaced").locator(".diff.split").waitFor();
    expect(await numbers("unplaced")).toEqual([]);
    const halves = await entry("unplaced")
      .locator("td.c")
      .evaluateAll((cells) => cells.slice(0, 2).map((cell) => cell.getBoundingClientRect().width));
    expect(Math.abs((halves[0] ?? 0) - (halves[1] ?? 0))).toBeLessThan(2);
    expect(halves[0]).toBeGreaterThan(300);
  });

  test("of long texts is made in the worker, and its rows come in portions", async () => {
    const long = Array.from({ length: 3_000 }, (_, line) => `line ${line} with some words`);
    const changed = long.map((line, at) => (at % 7 === 0 ? `${line} changed` : line));
    const part: Part = { type: "diff", path: "a.ts", oldText: long.join("\n"), newText: changed.join("\n") };
    await portlet.show(history([edit("e", part)]));
    await entry("e")
      .getByRole("button", { name: /Edit files/ })
      .click();
    await entry("e").locator(".diff-block").getByText("+429").waitFor();
    expect(await sharedWorkers(portlet.page)).toBe(1);
    await expectSoon(() => entry("e").locator("tr").count()).toBeLessThan(400);
    await entry("e")
      .getByRole("button", { name: /^Show .* more lines$/ })
      .click();
    await entry("e").getByText("line 2500 with some words", { exact: true }).waitFor({ state: "attached" });
  });
});

describe("what a tool printed", () => {
  test("wraps on demand, and is copied whole and without its colours", async () => {
    const lines = Array.from({ length: 300 }, (_, line) => `\u001b[32mline ${line}\u001b[0m`).join("\n");
    await portlet.show(history([tool("t", "make", { kind: "execute", input: { command: "make" }, result: lines })]));
    await entry("t").getByRole("button", { name: /make/ }).click();
    await entry("t").getByRole("button", { name: "Wrap lines" }).click();
    await expectSoon(() => entry("t").locator(".terminal.wrap").count()).toBe(1);
    await entry("t").getByRole("button", { name: "Copy output" }).click();
    await entry("t").getByRole("button", { name: "Copied" }).waitFor();
    expect((await clipboard()).split("\n")).toEqual(Array.from({ length: 300 }, (_, line) => `line ${line}`));
  });
});

describe("files and pictures", () => {
  test("the path of a file that is not there opens a menu by keyboard, copies, and gives the focus back", async () => {
    await portlet.show(history([assistant("a", "See [the file](src/main.ts:12) and [this](file:///tmp/x.ts).")]));
    await button("the file").focus();
    await portlet.page.keyboard.press("Enter");
    const { id, command } = await portlet.heard("portlet:request");
    expect(command).toEqual({ type: "files:read", path: "src/main.ts", limit: 1 });
    const refusal = { code: "FILE_NOT_FOUND", message: "There is no such file." };
    await portlet.post({ type: "portlet:answer", id: Number(id), refusal });
    await portlet.frame.getByRole("menu", { name: "File main.ts" }).waitFor();
    await portlet.page.keyboard.press("ArrowDown");
    await portlet.page.keyboard.press("Enter");
    await portlet.frame.getByRole("menu").waitFor({ state: "detached" });
    await expectSoon(() => clipboard()).toBe("src/main.ts:12");
    await expectSoon(() => button("the file").evaluate((element) => element === document.activeElement)).toBe(true);
    await button("this").click();
    await portlet.frame.getByRole("menu", { name: "File x.ts" }).waitFor();
    await portlet.page.keyboard.press("Escape");
    await portlet.frame.getByRole("menu").waitFor({ state: "detached" });
  });

  test("a picture opens at large by click and by keyboard; Escape closes it and nothing else", async () => {
    const picture = await portlet.page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } });
    await portlet.show(
      history([assistant("a", `![A dot](data:image/png;base64,${picture.toString("base64")})`)], {
        turn: { state: "running" },
      }),
    );
    const dialog = portlet.frame.getByRole("dialog", { name: "A dot" });
    await button("Enlarge image: A dot").click();
    await dialog.waitFor();
    await button("Actual size").click();
    await expectSoon(() => button("Actual size").getAttribute("aria-pressed")).toBe("true");
    await portlet.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await button("Enlarge image: A dot").focus();
    await portlet.page.keyboard.press("Enter");
    await dialog.waitFor();
    await portlet.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await painted(portlet.frame);
    await expectSoon(() => portlet.frame.getByText("Press Esc again to cancel").count()).toBe(0);
    const enlarge = button("Enlarge image: A dot");
    await expectSoon(() => enlarge.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
