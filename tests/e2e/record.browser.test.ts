import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { openChat } from "./open-sessions.ts";
import { textIn } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const LAST_LINE = 31_999;
const PACE = {
  id: "pace",
  name: "Pace",
  type: "select",
  currentValue: "slow",
  options: ["Slow", "Fast"].map((name) => ({ value: name.toLowerCase(), name })),
};

const chromium = useChromium();
let server: TestServer;
beforeAll(async () => {
  const stubborn = scriptedAgent({
    refuse: "session/set_config_option",
    answers: { "session/new": { sessionId: "s", configOptions: [PACE] } },
  });
  server = await startTestServer({
    agents: { scripted: scriptedAgent(), stubborn: { ...stubborn, name: "Stubborn" } },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

test("W-2 how each turn ended stays in the transcript, also after a reload; the last one has the actions", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  const ends = session.entries("notice");
  await session.ask("scenario refusal", "So far, so good.");
  await session.say("fail");
  await ends.nth(1).waitFor();
  await session.button("Try again").waitFor();
  await session.ask("stream 1 words", "w1");
  const reasons = () => ends.evaluateAll((all) => all.map((one) => one.getAttribute("data-stop-reason")));
  await expectSoon(() => reasons()).toEqual(["refusal", "error"]);
  await expectSoon(() => textIn(ends.first())).toContain("refused to continue");
  await expectSoon(() => session.button("Try again").count()).toBe(0);
  await app.page.reload();
  await ends.nth(1).waitFor();
  await expectSoon(() => reasons()).toEqual(["refusal", "error"]);
});

test("X-7 a sub-agent's steps fold under the call they were made for, with a count, each under its own", async () => {
  await using chat = await openChat(chromium, server);
  const { session } = chat;
  await session.ask("scenario sub-agents", "Both are done.");
  const call = (name: string) =>
    session.transcript.locator(`article[data-entry-type="tool-call"]:has(> .line > .name:text-is("${name}"))`);
  const steps = call("First task").getByRole("button", { name: "3 steps of a sub-agent" });
  await expectSoon(() => steps.getAttribute("aria-expanded")).toBe("false");
  await expectSoon(() => call("Inner task").count()).toBe(0);
  await steps.click();
  const inside = call("First task").locator(".sub-agent-list > article");
  await inside.nth(1).waitFor();
  await expectSoon(() => inside.evaluateAll((all) => all.map((one) => one.getAttribute("data-entry-type")))).toEqual([
    "assistant",
    "tool-call",
  ]);
  await call("Inner task").getByRole("button", { name: "1 step of a sub-agent" }).click();
  await call("Inner task").getByText("deep inside").waitFor();
  await steps.click();
  await inside.first().waitFor({ state: "detached" });
});

test("X-7 a long output is shown by its end, and whole in a view that holds only the lines in sight", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.ask("scenario long-output", "That was long.");
  const call = session.entries("tool-call");
  await call.getByRole("button", { name: /^Print/ }).click();
  await call.getByText(`line ${LAST_LINE} `).first().waitFor();
  await call.getByRole("button", { name: "Show all (2.9 MB)" }).click();
  const dialog = app.dialog("Output of Print without end");
  await dialog.getByText("32,000 lines, 2.9 MB").waitFor();
  await dialog.getByText("line 0 ·").waitFor();
  const list = dialog.getByRole("region", { name: "Whole output" });
  await expectSoon(() => list.locator(".output-window > div").count()).toBeLessThan(300);
  await list.evaluate((scroller) => {
    scroller.scrollTop = scroller.scrollHeight;
  });
  await dialog.getByText(`line ${LAST_LINE} ·`).waitFor();
  await expectSoon(() => dialog.getByText("line 0 ·").count()).toBe(0);
  const [saved] = await Promise.all([
    app.page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe("Print-without-end.txt");
  const text = await readFile(await saved.path(), "utf8");
  expect(text.split("\n")).toHaveLength(LAST_LINE + 2);
  expect(text.startsWith("line 0 ·")).toBe(true);
});

test("X-7 a plan is above the composer while it is current, and in the transcript once it is done", async () => {
  await using chat = await openChat(chromium, server, { agent: "Scripted" });
  const { session } = chat;
  const plan = (...done: boolean[]) => ({
    update: {
      sessionUpdate: "plan",
      entries: done.map((isDone, index) => ({
        content: `Step ${index + 1}`,
        priority: "medium",
        status: isDone ? "completed" : "pending",
      })),
    },
  });
  const strip = session.frame.locator("details.plan");
  const steps = session.entries("plan").locator(".plan-items li");
  await session.say(script(plan(true, false), chunk("Working on it.")));
  await session.untilSaid("Working on it.");
  await strip.waitFor();
  await expectSoon(() => textIn(strip)).toContain("1 of 2");
  await expectSoon(() => steps.count()).toBe(0);
  await session.cancel.click();
  await strip.waitFor({ state: "detached" });
  await steps.nth(1).waitFor();
  await session.say(script(plan(true, false), plan(true, true), chunk("All done.")));
  await session.untilSaid("All done.");
  await steps.nth(3).waitFor();
  await expectSoon(() => strip.count()).toBe(0);
  await session.cancel.click();
});

test("X-7 a choice that the agent refuses returns to the old value, and the agent's message has the reason", async () => {
  await using chat = await openChat(chromium, server, { agent: "Stubborn" });
  const { session } = chat;
  const pace = session.frame.getByRole("combobox", { name: "Pace" });
  await pace.selectOption({ label: "Fast" });
  await session.frame.getByText("session/set_config_option is refused").waitFor();
  await expectSoon(() => pace.inputValue()).toBe("slow");
});

test("X-7 context and cost are in the session's head, and the total cost at its project", async () => {
  await using chat = await openChat(chromium, server, { agent: "Scripted" });
  const { app, name, session } = chat;
  const cost = { amount: 1.5, currency: "USD" };
  await session.ask(
    script({ update: { sessionUpdate: "usage_update", used: 50, size: 100, cost } }, chunk("Paid."), {
      end: "end_turn",
    }),
    "Paid.",
  );
  await session.frame.getByTitle("Cost of this session").getByText("$1.50").waitFor();
  await session.frame.getByRole("img", { name: "Context used: 50 of 100 tokens" }).waitFor();
  const head = app.projects.locator("button[aria-expanded]").filter({ hasText: name });
  await waitFor(
    () => head.getAttribute("title"),
    (title) => title?.includes("$1.50 in 1 session") ?? false,
    "the project's cost",
  );
});
