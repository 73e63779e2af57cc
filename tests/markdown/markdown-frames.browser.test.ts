import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Page } from "playwright-core";
import { expectSoon } from "../support/expect-soon.ts";
import { openTestPage, readAll, type TestPage } from "./open-test-page.ts";

const LONG_LINE = `const long = "${"x".repeat(400)}";`;
const CODE = `\`\`\`ts\n${LONG_LINE}\nconst two = 2;\n\`\`\``;

let opened: TestPage;
let page: Page;

beforeAll(async () => {
  opened = await openTestPage();
  page = opened.page;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
});

/** Streams a message line by line; what follows happens in the same task, before any answer of the worker. */
async function show(text: string, hasEnded = true, then = ""): Promise<void> {
  await page.evaluate(`testPage.show(${JSON.stringify(text.split(/(?<=\n)/))}, ${hasEnded}); ${then}`);
}

/** Whether it scrolls sideways, its width and its height. */
async function box(selector: string): Promise<unknown> {
  const boxes = await readAll(page, selector, "[e.scrollWidth > e.clientWidth, e.clientWidth, e.clientHeight]");
  return Array.isArray(boxes) ? boxes[0] : undefined;
}

describe("a code block", () => {
  it("has a head with the language and named buttons, and scrolls inside its frame", async () => {
    await show(CODE);
    await expectSoon(() => page.locator(".block-head .language").textContent()).toBe("TypeScript");
    expect(await readAll(page, "main button", "e.ariaLabel")).toEqual(["Wrap lines", "Copy code"]);
    expect(await box("pre.code")).toEqual([true, 758, expect.any(Number)]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await page.getByRole("group", { name: "TypeScript code" }).focus();
    expect(await page.evaluate("document.activeElement.className")).toBe("code");
  });

  it("wraps its lines on demand", async () => {
    await show(CODE);
    await page.getByRole("button", { name: "Wrap lines" }).click();
    await expectSoon(() => page.getByRole("button", { name: "Wrap lines" }).getAttribute("aria-pressed")).toBe("true");
    expect(await box("pre.code")).toEqual([false, 758, expect.any(Number)]);
  });

  it("copies the code, and confirms it until the pointer leaves", async () => {
    await show(CODE);
    await page.getByRole("button", { name: "Copy code" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`${LONG_LINE}\nconst two = 2;`);
    await page.mouse.move(0, 0);
    await page.getByRole("button", { name: "Copy code" }).waitFor();
  });

  it("gives code without doubled lines when a selection spans its chunks", async () => {
    const code = Array.from({ length: 300 }, (_, line) => `line ${line} of a long block of code`).join("\n");
    await show(`\`\`\`\n${code}\n\`\`\``);
    await expectSoon(() => page.locator(".code-chunk").count()).toBeGreaterThan(1);
    await page.evaluate("getSelection().selectAllChildren(document.querySelector('pre code'))");
    expect(await page.evaluate("String(getSelection())")).toBe(code);
  });
});

describe("highlighting", () => {
  it("colours finished blocks near the screen in the worker, without moving anything", async () => {
    const long = CODE.replace(
      "const two = 2;",
      Array.from({ length: 200 }, (_, line) => `const two = ${line}; // two`).join("\n"),
    );
    await show(`${long}\n\n${"A paragraph.\n\n".repeat(200)}${CODE}\n\ntext`);
    const [plain, text] = [await box("pre.code"), await page.locator("pre code").first().textContent()];
    await page.locator(".block[data-highlighted]").first().waitFor();
    expect(await box("pre.code")).toEqual(plain);
    await expectSoon(() => page.locator("pre code").first().textContent()).toBe(text);
    await expectSoon(() => page.locator(".hljs-keyword").first().textContent()).toBe("const");
    await expectSoon(() => page.locator(".block[data-highlighted]").count()).toBe(1);
    await page.locator(".block").nth(1).scrollIntoViewIfNeeded();
    await page.locator(".block[data-highlighted]").nth(1).waitFor();
    expect(await page.evaluate("testPage.failures")).toEqual([]);
    expect(await page.evaluate("testPage.violations")).toEqual([]);
  });

  it("leaves an open block alone, and a selected one until it is free", async () => {
    const other = CODE.replace("two", "other");
    const select = "getSelection().selectAllChildren(document.querySelector('pre code'))";
    await show(`${CODE}\n\n${other}\n\n\`\`\`ts\nconst open = 1;\n`, false, select);
    await page.locator(".block[data-highlighted]", { hasText: "other" }).waitFor(); // the answer for the first came before
    await expectSoon(() => page.locator(".block[data-highlighted]").count()).toBe(1);
    expect(await page.evaluate("String(getSelection())")).toBe(`${LONG_LINE}\nconst two = 2;`);
    await page.evaluate("getSelection().removeAllRanges()");
    await page.locator(".block[data-highlighted]").nth(1).waitFor();
    await expectSoon(() => page.locator(".block", { hasText: "open" }).getAttribute("data-highlighted")).toBeNull();
  });
});

describe("the message in the page", () => {
  it("announces its headings below the title above it", async () => {
    await show("# One\n\n## Two\n\n###### Six");
    expect(await readAll(page, "main :is(h1, h2, h6)", "[e.textContent, e.ariaLevel]")).toEqual([
      ["One", "3"],
      ["Two", "4"],
      ["Six", "5"],
    ]);
  });

  it("skips no level, wherever it begins", async () => {
    await show("#### Four\n\n> ## Two\n\n# One\n\n### Three");
    expect(await readAll(page, "main :is(h1, h2, h3, h4)", "[e.textContent, e.ariaLevel]")).toEqual([
      ["Four", "3"],
      ["Two", "4"],
      ["One", "3"],
      ["Three", "4"],
    ]);
  });

  it("opens links outside without telling where from, and files through the page", async () => {
    await show("[docs](https://example.com) and [file](src/a.ts:3)");
    expect(await readAll(page, "main a", "[e.href, e.rel, e.target]")).toEqual([
      ["https://example.com/", "noopener noreferrer", "_blank"],
    ]);
    await page.getByRole("button", { name: "file" }).click();
    expect(await page.evaluate("testPage.opened")).toEqual(["src/a.ts:3"]);
  });

  it("scrolls a wide table inside its own frame", async () => {
    await show(`|${" a wide header |".repeat(20)}\n|${"---|".repeat(20)}\n|${" cell |".repeat(20)}`);
    expect(await box(".table-wrap")).toEqual([true, 758, expect.any(Number)]);
    await page.getByRole("group", { name: "Table" }).focus();
    expect(await page.evaluate("document.activeElement.className")).toBe("table-wrap");
  });

  it("shows tasks as boxes with their state", async () => {
    await show("- [x] one\n- [ ] two");
    expect(await readAll(page, "main input", "[e.ariaLabel, e.checked, e.disabled]")).toEqual([
      ["Done", true, true],
      ["To do", false, true],
    ]);
  });

  it("marks the growing end with a caret that is not text, and takes it away at the end", async () => {
    await show("A\n\n- item\n  - inner te", false);
    await expectSoon(() => page.locator("[data-caret]").textContent()).toBe("inner te");
    await show("A\n\n```ts\nlet a", false);
    await expectSoon(() => page.locator("pre code[data-caret]").count()).toBe(1);
    await show("A\n\n```ts\nlet a", true);
    await expectSoon(() => page.locator("[data-caret]").count()).toBe(0);
  });

  it("shows no seam where a long message is cut into parts", async () => {
    await show(Array.from({ length: 130 }, (_, index) => `Paragraph ${index}.`).join("\n\n"));
    await expectSoon(() => page.locator(".prose-part").count()).toBe(3);
    const gaps = await page.evaluate(
      "[...document.querySelectorAll('.prose p')].map((p, i, all) => i && p.getBoundingClientRect().top - all[i - 1].getBoundingClientRect().bottom)",
    );
    expect(new Set(Array.isArray(gaps) ? gaps.slice(1) : [])).toEqual(new Set([12]));
  });
});
