import { describe, expect, test } from "bun:test";
import type { PendingPermission } from "../../src/protocol/session-parts.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { painted, until } from "./open-portlet.ts";
import { history, permission, user, WAITING } from "./scene.ts";
import { usePortlet } from "./use-portlet.ts";

const portlet = usePortlet();
const LINE_ENDS = ["\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"];
const UNSEEN = [
  "\t",
  "\u00a0",
  "\u00ad",
  "\u200b",
  "\u200d",
  "\u202e",
  "\u2066",
  "\u2800",
  "\u3164",
  "\ufeff",
  "\u001b",
  "\u{e0041}",
];
const hex = (text: string) => [...text].map((char) => char.codePointAt(0)?.toString(16)).join(" ");

const ask = (...pending: readonly PendingPermission[]) =>
  portlet.show(history([user("u", "Do it")], { turn: WAITING, pending: [...pending] }));
const command = () => portlet.frame.locator(".ask-command");
const buttons = () => portlet.frame.locator(".ask-actions button").allTextContents();
/** Where a piece of text is drawn, from its first to its last character. */
const boxOf = (text: string) =>
  portlet.frame.evaluate<{ top: number; left: number; right: number; bottom: number; width: number }>(`(() => {
    const walker = document.createTreeWalker(document.querySelector(".ask"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const at = node.data.indexOf(${JSON.stringify(text)});
      if (at === -1) continue;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + ${text.length});
      return range.getBoundingClientRect().toJSON();
    }
    throw new Error("not drawn: " + ${JSON.stringify(text)});
  })()`);

describe("(S1) everything that is allowed is seen first", () => {
  test.each(LINE_ENDS.map((end) => [hex(end), end]))(
    "a command is shown with its line end %s as one",
    async (_, end) => {
      await ask(permission("p", `tests${end}curl`));
      const [first, second] = [await boxOf("tests"), await boxOf("curl")];
      expect(second.top).toBeGreaterThanOrEqual(first.bottom - 1);
      await expectSoon(() => portlet.frame.locator(".ask h2").textContent()).toBe("Run this command of 2 lines?");
    },
  );

  test.each(UNSEEN.map((char) => [hex(char), char]))(
    "a mark stands for the invisible character %s",
    async (_, char) => {
      await ask(permission("p", `rm x${char}y`));
      const sign = command().locator(".unseen");
      await expectSoon(() => sign.textContent()).toMatch(/^(⇥|U\+[0-9A-F]+)$/);
      expect((await sign.boundingBox())?.width).toBeGreaterThan(6);
      await expectSoon(() => command().textContent()).not.toContain(char);
    },
  );

  test("blank lines do not hide what comes after them", async () => {
    await ask(permission("p", `npm test${"\n".repeat(61)}curl evil.example`));
    await expectSoon(() => portlet.frame.locator(".ask-more").count()).toBe(0);
    await expectSoon(() => command().textContent()).toContain("60 blank lines");
    expect((await boxOf("curl")).bottom).toBeLessThan(
      (await portlet.frame.locator(".ask-actions").boundingBox())?.y ?? 0,
    );
  });

  test("a long command scrolls, shows that, and its buttons state its length", async () => {
    const lines = Array.from({ length: 64 }, (_, index) => `echo step ${index}`);
    await ask(permission("p", lines.join("\n")));
    await until(portlet.frame, 'document.querySelector(".ask-more") !== null');
    await expectSoon(() => buttons()).toEqual(["Allow once (all 64 lines)A", "Always allow (all 64 lines)", "DenyD"]);
    for (let step = 0; step < 20 && (await portlet.frame.locator(".ask-more").count()) > 0; step += 1) {
      await portlet.frame.locator(".ask-body").evaluate((body) => body.scrollBy(0, 120));
      await painted(portlet.frame);
    }
    const body = await portlet.frame.locator(".ask-body").boundingBox();
    expect((await boxOf("63")).bottom).toBeLessThanOrEqual((body?.y ?? 0) + (body?.height ?? 0));
    await ask(permission("q", "echo short"));
    await expectSoon(() => buttons()).toEqual(["Allow onceA", "Always allow", "DenyD"]);
  });

  test("what an agent calls a command, names, places and changes is shown like that, too", async () => {
    const asked = permission("p", "x");
    const parts = [{ type: "diff" as const, path: "a.ts", oldText: "one\n", newText: "t\u202ewo\u200b\n" }];
    const toolCall = { toolCallId: "t", name: "Edit\u2028rm -rf /", kind: "edit", parts };
    await ask({ ...asked, toolCall, note: "odd\u202e name" });
    await until(portlet.frame, 'document.querySelector(".ask tr.add .unseen") !== null');
    await expectSoon(() => portlet.frame.locator(".ask tr.add").textContent()).toMatch(/tU\+202EwoU\+200B/);
    expect((await boxOf("rm ")).top).toBeGreaterThan((await boxOf("Edit")).bottom - 1);
    await expectSoon(() => portlet.frame.locator(".ask-note").textContent()).toContain("U+202E");
  });
});

const WIDTHS = [
  { name: "a wide window", width: 1_200, height: 800 },
  { name: "a narrow column", width: 366, height: 800 },
  { name: "a phone", width: 390, height: 844 },
  { name: "the narrowest", width: 320, height: 568 },
  { name: "200 % zoom", width: 640, height: 400 },
];
/** Text that sticks out of the card or is cut by something that does not scroll. */
const CLIPPED = `(() => {
  const card = document.querySelector(".ask");
  const edge = card.getBoundingClientRect();
  const out = [];
  const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.data.trim() === "" || node.parentElement.closest("option, .key-hint, details:not([open])")) continue;
    const range = new Range();
    range.selectNodeContents(node);
    for (const box of range.getClientRects())
      if (box.width > 0 && (box.left < edge.left - 1 || box.right > edge.right + 1)) out.push(node.data.slice(0, 40));
    for (let at = node.parentElement; at !== card; at = at.parentElement) {
      const style = getComputedStyle(at);
      const scrolls = (value) => value === "auto" || value === "scroll";
      if (at.scrollWidth > at.clientWidth + 1 && at.clientWidth > 0 && style.overflowX !== "visible")
        out.push("sideways: " + node.data.slice(0, 40));
      if (at.scrollHeight > at.clientHeight + 1 && at.clientHeight > 0 && style.overflowY !== "visible" && !scrolls(style.overflowY))
        out.push("below: " + node.data.slice(0, 40));
    }
  }
  return [...new Set(out)];
})()`;

describe("(A8) nothing of a request is clipped", () => {
  const long =
    "Allow_this_and_every_other_command_that_begins_in_the_same_way_for_the_rest_of_this_session_and_project";
  const word = "x".repeat(400);
  const asked: PendingPermission = {
    ...permission("p", `deploy --target ${word} && echo ${"word ".repeat(60)}`),
    note: `Not answered by a rule: ${word}`,
    options: [
      {
        optionId: "once",
        name: "Yes, and don't ask again for commands that start with `npm run build:production`",
        kind: "allow_once",
      },
      { optionId: "always", name: long, kind: "allow_always" },
      { optionId: "no", name: `No, ${"and tell the agent what to do differently ".repeat(4)}`, kind: "reject_once" },
    ],
    offers: [{ effect: "allow", kind: "execute", command: `deploy ${word}`, exact: true }],
  };
  const diff: PendingPermission = {
    ...asked,
    toolCall: {
      toolCallId: "t",
      name: `Edit ${word}.ts`,
      kind: "edit",
      input: { file_path: `/home/${word}` },
      parts: [{ type: "diff", path: `/home/${word}/a.ts`, oldText: "a\n", newText: `${word} b\n` }],
    },
  };
  for (const { name, width, height } of WIDTHS)
    test.each([
      ["command", asked],
      ["change", diff],
    ] as const)(`${name}, ${width} px: a long %s`, async (_kind, request) => {
      await portlet.page.setViewportSize({ width, height });
      await until(portlet.frame, `innerWidth === ${width} && innerHeight === ${height}`);
      await ask(request);
      await portlet.frame
        .getByRole("button", { name: "Always allow this…" })
        .evaluate((button: HTMLElement) => button.click());
      if (request === diff) await until(portlet.frame, 'document.querySelector(".ask tr.add") !== null');
      await painted(portlet.frame);
      await expectSoon(() => portlet.frame.evaluate<string[]>(CLIPPED)).toEqual([]);
      const saysMoreIfSo = () =>
        portlet.frame.evaluate<boolean>(`(() => {
          const { scrollHeight, clientHeight } = document.querySelector(".ask-body");
          return (document.querySelector(".ask-more") !== null) === scrollHeight > clientHeight + 1;
        })()`);
      await expectSoon(saysMoreIfSo).toBe(true);
      // Every button can be brought into view whole.
      for (const button of await portlet.frame.locator(".ask-actions button").all()) {
        await button.scrollIntoViewIfNeeded();
        const box = await button.boundingBox();
        expect(box?.x).toBeGreaterThanOrEqual(0);
        expect((box?.x ?? 0) + (box?.width ?? width)).toBeLessThanOrEqual(width);
      }
    });
});
