import { describe, expect, test } from "bun:test";
import { CommandId } from "../../src/protocol/ids.ts";
import type { ShellToPortlet } from "../../src/protocol/portlet-messages.ts";
import type { ConfigOption } from "../../src/protocol/session-parts.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { waitFor } from "../support/wait-for.ts";
import { assistant, Facts, history, IDLE, RUNNING, SESSION, user } from "./scene.ts";
import { usePortlet } from "./use-portlet.ts";

const portlet = usePortlet();
const facts = new Facts();

const field = () => portlet.frame.getByRole("textbox", { name: "Message" });
const button = (name: string) => portlet.frame.getByRole("button", { name, exact: true });
const articles = () => portlet.frame.locator("article");
const status = (is: "connected" | "disconnected" | "reconnecting" | "starting" | "idle"): ShellToPortlet => ({
  type: "agent:status",
  status: is,
});

describe("sending", () => {
  test("[TC-3.1a] a message is there at once, marked until confirmed, and its node stays when it is", async () => {
    await portlet.show(history([assistant("a", "Hello.")]));
    await field().fill("Do it");
    await field().press("Enter");
    const sent = await portlet.heard("session:send");
    expect(sent["content"]).toBe("Do it");
    await portlet.frame.locator("article.pending").waitFor();
    await expectSoon(() => field().inputValue()).toBe("");
    await articles()
      .last()
      .evaluate((node) => node.setAttribute("data-kept", ""));
    await portlet.show(facts.update(user("u", "Do it", String(sent["commandId"]))), facts.turn(RUNNING));
    const confirmed = portlet.frame.locator('article[data-entry-id="u"]');
    expect([await confirmed.count(), await articles().count()]).toEqual([1, 2]);
    await expectSoon(() => confirmed.getAttribute("data-kept")).toBe("");
    await expectSoon(() => portlet.frame.locator("article.pending").count()).toBe(0);
  });

  test("[TC-3.1a] Enter before the session's history is there sends when it is, unless the text was changed since", async () => {
    await field().fill("Early");
    await field().press("Enter");
    expect(await portlet.said("session:send")).toEqual([]);
    await portlet.show(history([assistant("a", "Hello.")]));
    expect((await portlet.heard("session:send"))["content"]).toBe("Early");
    await waitFor(
      () => field().inputValue(),
      (text) => text === "",
      "the composer to be empty",
    );

    await portlet.reload();
    await portlet.show(SESSION, status("connected"));
    await field().fill("Early");
    await field().press("Enter");
    await field().fill("Earlier");
    await portlet.show(history([]));
    expect(await portlet.said("session:send")).toEqual([]);
    await expectSoon(() => field().inputValue()).toBe("Earlier");
    await expectSoon(() => button("Send").isEnabled()).toBe(true);
  });

  test("a refused message comes back into the composer with the reason", async () => {
    await portlet.show(history([]));
    await field().fill("Too much");
    await button("Send").click();
    const { commandId } = await portlet.heard("session:send");
    await portlet.show({ type: "session:error", message: "Over the limit.", commandId: CommandId.parse(commandId) });
    await expectSoon(() => field().inputValue()).toBe("Too much");
    await expectSoon(() => portlet.frame.getByRole("alert").textContent()).toContain("Over the limit.");
    await expectSoon(() => articles().count()).toBe(0);
  });

  test("[TC-3.1b] nothing empty can be sent, and Shift+Enter breaks the line", async () => {
    await portlet.show(history([]));
    await expectSoon(() => button("Send").isDisabled()).toBe(true);
    await field().press("Enter");
    await field().pressSequentially("one");
    await field().press("Shift+Enter");
    await field().pressSequentially("two");
    await expectSoon(() => field().inputValue()).toBe("one\ntwo");
    await portlet.show();
    await expectSoon(() => button("Send").isEnabled()).toBe(true);
    expect(await portlet.said("session:send")).toEqual([]);
  });

  test("[TC-5.2b] [TC-5.2c] while the agent or the server is away Send is off and the text stays", async () => {
    await portlet.show(history([]));
    await field().fill("Patient text");
    const isOffAfter = async (message: ShellToPortlet) => {
      await portlet.show(message);
      return [await button("Send").isDisabled(), await field().isEditable()];
    };
    expect(await isOffAfter(status("disconnected"))).toEqual([true, true]);
    expect(await isOffAfter(status("reconnecting"))).toEqual([true, true]);
    expect(await isOffAfter(status("idle"))).toEqual([false, true]);
    expect(await isOffAfter({ type: "portlet:connection", connected: false })).toEqual([true, true]);
    expect(await isOffAfter({ type: "portlet:connection", connected: true })).toEqual([false, true]);
    await expectSoon(() => field().inputValue()).toBe("Patient text");
  });

  test("an empty session of the built-in agent offers prompts that work", async () => {
    await portlet.show(history([]));
    await portlet.frame.getByRole("button", { name: "plan" }).click();
    expect(await portlet.heard("session:send")).toMatchObject({ content: "plan" });
  });
});

describe("drafts", () => {
  test("a kept draft is there when the session opens; typing is kept; sending clears it", async () => {
    await portlet.show(history([], { draft: "half a thought" }));
    await expectSoon(() => field().inputValue()).toBe("half a thought");
    await field().press("End");
    await field().pressSequentially(", now whole");
    // It is kept after each pause, and a busy machine may pause between two letters.
    const lastKept = async () => (await portlet.said("session:draft")).at(-1);
    await expectSoon(lastKept).toEqual({ type: "session:draft", content: "half a thought, now whole" });
    await field().press("Enter");
    await expectSoon(lastKept).toEqual({ type: "session:draft", content: "" });
  });

  test("a history that comes again leaves what is being typed alone", async () => {
    await portlet.show(history([]));
    await field().pressSequentially("typing");
    await portlet.show(history([assistant("a", "Hi.")], { seq: 1_001, draft: "something else" }));
    await expectSoon(() => field().inputValue()).toBe("typing");
  });
});

describe("a running turn", () => {
  test("[TC-3.7a] [TC-3.7b] [TC-3.7c] can be cancelled while it runs, by button or by Esc twice", async () => {
    await portlet.show(history([user("u", "Work")], { turn: RUNNING }));
    await button("Cancel").click();
    await portlet.heard("session:cancel");
    await field().press("Escape");
    await portlet.frame.getByText("Press Esc again to cancel").waitFor();
    expect(await portlet.said("session:cancel")).toHaveLength(1);
    await field().press("Escape");
    await portlet.heard("session:cancel", 2);
    await portlet.show(facts.turn({ ...IDLE, stopReason: "cancelled" }));
    await expectSoon(() => button("Cancel").count()).toBe(0);
    await field().press("Escape");
    await field().press("Escape");
    await portlet.show();
    expect(await portlet.said("session:cancel")).toHaveLength(2);
  });

  test("[X-6] messages sent meanwhile are queued, and can be removed or taken back", async () => {
    await portlet.show(history([user("u", "Work")], { turn: RUNNING }));
    await field().fill("next");
    await field().press("Enter");
    const { commandId } = await portlet.heard("session:send");
    await portlet.frame.getByText("sending").waitFor();
    await expectSoon(() => articles().count()).toBe(1);
    const items = [
      { commandId: CommandId.parse(commandId), content: "next" },
      { commandId: CommandId.parse("q2"), content: "last" },
    ];
    await portlet.show({ type: "session:queue", seq: facts.next(), items, paused: false });
    const queued = portlet.frame.getByRole("group", { name: "Queued message" });
    await expectSoon(() => queued.allTextContents()).toEqual(["next", "last"]);
    await field().press("ArrowUp");
    expect(await portlet.heard("session:queue-edit")).toMatchObject({ items: [{ content: "next" }] });
    await portlet.show({ type: "session:queue", seq: facts.next(), items: items.slice(0, 1), paused: true });
    await expectSoon(() => field().inputValue()).toBe("last");
    await expectSoon(() => portlet.frame.getByRole("note").textContent()).toContain("Queue paused");
    await queued.getByRole("button", { name: "Remove queued message" }).click();
    expect(await portlet.heard("session:queue-edit", 2)).toMatchObject({ items: [] });
  });
});

describe("around the text", () => {
  const mode: ConfigOption = {
    type: "select",
    id: "mode",
    name: "Mode",
    currentValue: "ask",
    options: [
      { value: "ask", name: "Ask" },
      { value: "edit", name: "Edit" },
    ],
  };
  const web: ConfigOption = { type: "boolean", id: "web", name: "Web search", currentValue: false };

  test("[X-7] options are chosen, and change when the agent confirms them; usage is shown", async () => {
    const config = { options: [mode, web], commands: [], usage: { used: 62_410, size: 200_000 } };
    await portlet.show(history([], { config }));
    await expectSoon(() => portlet.frame.getByText("31%").count()).toBe(1);
    await portlet.frame.getByRole("combobox", { name: "Mode" }).selectOption("edit");
    expect(await portlet.heard("session:configure")).toMatchObject({ configId: "mode", value: "edit" });
    await portlet.frame.getByRole("checkbox", { name: "Web search" }).click();
    expect(await portlet.heard("session:configure", 2)).toMatchObject({ configId: "web", value: true });
    const options = [{ ...mode, currentValue: "edit" }, web];
    await portlet.show({ type: "session:config", seq: facts.next(), config: { ...config, options } });
    await expectSoon(() => portlet.frame.getByRole("combobox", { name: "Mode" }).inputValue()).toBe("edit");
    await expectSoon(() => portlet.frame.getByRole("checkbox", { name: "Web search" }).isChecked()).toBe(false);
  });

  test("[TC-5.2a] [TC-5.2d] the state of the agent is shown, and Reconnect only when it helps", async () => {
    const state = portlet.frame.getByRole("status", { name: "Agent status" });
    await portlet.show(history([]));
    await expectSoon(() => state.getAttribute("data-status")).toBe("connected");
    await expectSoon(() => button("Reconnect").count()).toBe(0);
    await portlet.show({ type: "agent:status", status: "disconnected", message: "Could not connect to Built-in" });
    await expectSoon(() => state.getAttribute("data-status")).toBe("disconnected");
    await expectSoon(() => portlet.frame.getByText("Could not connect to Built-in").count()).toBe(1);
    await button("Reconnect").click();
    expect(await portlet.heard("session:reconnect")).toEqual({ type: "session:reconnect", cliType: "builtin" });
    await portlet.show(status("reconnecting"));
    await expectSoon(() => button("Reconnect").count()).toBe(0);
    await portlet.show(status("starting"));
    await expectSoon(() => state.textContent()).toBe("Starting Built-in…");
  });
});

test("[X-7] 200 KB of pasted text becomes an attachment, a short text stays text (D12)", async () => {
  await portlet.show(history([]));
  await button("Attach files").waitFor();
  const paste = (chars: number) =>
    field().evaluate((element, length) => {
      const data = new DataTransfer();
      data.setData("text/plain", "x".repeat(length));
      const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      return element.dispatchEvent(event);
    }, chars);
  expect(await paste(1_000)).toBe(true);
  expect(await paste(200_000)).toBe(false);
  const chip = portlet.frame.getByRole("list", { name: "Attachments" }).getByRole("listitem");
  await chip.getByText("Pasted text, 200 KB.txt").waitFor();
  await expectSoon(() => field().inputValue()).toBe("");
  await portlet.show();
  await field().press("Enter");
  const { attachments } = await portlet.heard("session:send");
  expect(attachments).toMatchObject([{ type: "resource", text: "x".repeat(200_000) }]);
});

describe("the row of options", () => {
  const option = (id: string, name: string, value: string): ConfigOption => ({
    type: "select",
    id,
    name,
    currentValue: "a",
    options: [
      { value: "a", name: value },
      { value: "b", name: "Another one" },
    ],
  });
  const options = [
    option("mode", "Mode", "Ask before edits"),
    option("model", "Model", "Sonnet 4.5 (1M context)"),
    option("effort", "Reasoning effort", "Very high"),
    option("style", "Output style", "Explanatory"),
  ];
  const config = { options, commands: [], usage: { used: 62_410, size: 200_000 } };
  const boxes = () =>
    portlet.frame
      .locator(".config > *:not([popover]), .send, .composer-foot")
      .evaluateAll((all) => all.map((one) => ({ ...one.getBoundingClientRect().toJSON(), of: one.className })));

  test("has a label for each, cuts nothing off, and has the rest in a menu, at any width (D2)", async () => {
    for (const width of [1_000, 640, 360]) {
      await portlet.page.setViewportSize({ width, height: 800 });
      await portlet.show(history([], { config }));
      const hidden = await portlet.frame
        .locator(".config")
        .evaluate(
          (row) =>
            [...row.children].filter((one) => one.getBoundingClientRect().right > row.getBoundingClientRect().right + 1)
              .length,
        );
      expect([width, hidden]).toEqual([width, 0]);
      const more = portlet.frame.getByRole("button", { name: /^(More options: \d|Options)$/ });
      if ((await more.count()) > 0) await more.click();
      for (const { name } of options) {
        const label = portlet.frame.locator(".option-name").getByText(name, { exact: true });
        await expectSoon(async () => [width, name, await label.isVisible()]).toEqual([width, name, true]);
        await expectSoon(() => portlet.frame.getByRole("combobox", { name, exact: true }).isVisible()).toBe(true);
      }
      await portlet.frame.getByRole("combobox", { name: "Output style" }).selectOption("b");
      expect(await portlet.heard("session:configure")).toMatchObject({ configId: "style", value: "b" });
      await portlet.reload();
      await portlet.show(SESSION, status("connected"));
    }
    await portlet.page.setViewportSize({ width: 1_000, height: 800 });
  });

  test("does not move when a turn starts, ends or is about to be cancelled (D2)", async () => {
    const steering = { image: true, audio: true, embeddedContext: true, steering: true };
    for (const width of [1_000, 360]) {
      await portlet.page.setViewportSize({ width, height: 800 });
      for (const abilities of [undefined, steering]) {
        await portlet.show(history([], { config: { ...config, abilities } }));
        await button("Attach files").waitFor();
        const idle = await boxes();
        await portlet.show(facts.turn(RUNNING));
        if (abilities) await button("Steer").waitFor();
        expect(await boxes()).toEqual(idle);
        await field().press("Escape");
        await portlet.frame.getByText("Press Esc again to cancel").waitFor();
        expect(await boxes()).toEqual(idle);
        await portlet.reload();
        await portlet.show(SESSION, status("connected"));
      }
    }
    await portlet.page.setViewportSize({ width: 1_000, height: 800 });
  });
});

test("[X-7] the list of commands leaves most of the transcript in view, and its marked row is beside the text (D6)", async () => {
  const commands = Array.from({ length: 60 }, (_, at) => ({ name: `command-${at}`, description: "Does something" }));
  await portlet.show(history([assistant("a", "Hello.")], { config: { options: [], commands, usage: null } }));
  await field().pressSequentially("/");
  const list = portlet.frame.getByRole("listbox", { name: "Commands" });
  await list.waitFor();
  const marked = portlet.frame.getByRole("option", { selected: true });
  const place = async (one: ReturnType<typeof field>) => (await one.boundingBox()) ?? { y: 0, height: 0 };
  const [shown, text, row] = [await place(list), await place(field()), await place(marked)];
  expect(shown.height).toBeLessThanOrEqual(800 * 0.4);
  await expectSoon(() => marked.textContent()).toContain("/command-0");
  expect(text.y - (row.y + row.height)).toBeWithin(0, 40);
  await field().press("ArrowUp");
  await portlet.frame.getByRole("option", { name: /command-1\b/, selected: true }).waitFor();
  const above = await place(marked);
  expect(above.y).toBeLessThan(row.y);
  expect(above.y).toBeGreaterThanOrEqual(shown.y);
});

test("[X-7] Enter before the files for an @ are there chooses one when they are, and sends when there is none", async () => {
  await portlet.show(history([assistant("a", "Hello.")]));
  const found = (query: string, ...paths: readonly string[]): ShellToPortlet => ({
    type: "files:found",
    query,
    files: paths.map((path) => ({ path, uri: `file:///home/ada/atlas-api/${path}` })),
    isPartial: false,
  });
  await field().pressSequentially("@ma");
  await waitFor(
    () => portlet.said("files:search"),
    (asked) => asked.at(-1)?.["query"] === "ma",
    "the files to be asked for",
  );
  await field().press("Enter");
  await portlet.show(found("ma", "src/main.ts", "src/map.ts"));
  await expectSoon(() => field().inputValue()).toBe("@src/main.ts ");
  expect(await portlet.said("session:send")).toEqual([]);

  await field().fill("@nobody");
  await waitFor(
    () => portlet.said("files:search"),
    (asked) => asked.at(-1)?.["query"] === "nobody",
    "the files to be asked for again",
  );
  await field().press("Enter");
  await portlet.show(found("nobody"));
  expect((await portlet.heard("session:send"))["content"]).toBe("@nobody");
});
