import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { openChat } from "./open-sessions.ts";
import { textIn } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const OPTIONS = ["Allow once", "Always allow commands in this session", "Reject"];

const chromium = useChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test("W-8 by mouse: the exact command and the agent's options in its order; the answer is carried out", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session, path } = chat;
  await session.say("run echo permitted > proof");
  await session.permission.waitFor();
  for (const [index, name] of OPTIONS.entries()) {
    const named = session.permission.getByRole("button", { name, exact: true });
    await session.permission.getByRole("button").nth(index).and(named).waitFor();
  }
  await expectSoon(() => session.permission.getByRole("button").count()).toBe(OPTIONS.length);
  await expectSoon(() => textIn(session.permission)).toContain("echo permitted > proof");
  await session.status.getByText("waiting for you").waitFor();
  await app.untilRowSays("run echo permitted > proof", "waiting for you");
  await app.untilWindowTitle(/^\(1\) /);
  await session.permission.getByRole("button", { name: "Allow once", exact: true }).click();
  await session.untilSaid("succeeded");
  await session.untilIdle();
  await expectSoon(() => session.permission.count()).toBe(0);
  await expectSoon(() => Bun.file(join(path, "proof")).text()).toBe("permitted\n");
});

test("W-8 an edit is asked with its change in view; a no leaves the file as it was", async () => {
  await using chat = await openChat(chromium, server);
  const { session, path } = chat;
  await writeFile(join(path, "notes.md"), "hello world\n");
  await session.say('edit notes.md "hello" "goodbye"');
  await session.permission.waitFor();
  // The change is compared while its card is drawn already.
  for (const words of ["notes.md", "hello world", "goodbye world"])
    await expectSoon(() => textIn(session.permission)).toContain(words);
  await session.permission.getByRole("button", { name: "Reject", exact: true }).click();
  await session.untilSaid("I left it as it is");
  await expectSoon(() => session.entries("tool-call").getAttribute("data-status")).toBe("error");
  await expectSoon(() => Bun.file(join(path, "notes.md")).text()).toBe("hello world\n");
});

test("W-8 X-15 by keyboard: D denies, A allows, and neither while text is typed", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.say("run echo never");
  await session.permission.waitFor();
  await session.message.pressSequentially("a day");
  await expectSoon(() => session.permission.count()).toBe(1);
  expect(app.sent("permission:respond")).toEqual([]);
  await session.message.fill("");
  await session.transcript.focus();
  await answerByKey("d");
  await session.untilSaid("I did not run it");
  await session.untilIdle();
  await session.say("run echo gladly");
  await session.permission.waitFor();
  await session.transcript.focus();
  await answerByKey("a");
  await session.untilSaid("succeeded");
  expect(app.sent("permission:respond").map(({ optionId }) => optionId)).toEqual(["reject-once", "allow-once"]);

  /** A card that has just come up ignores keys for a moment, so the key may have to be pressed again. */
  async function answerByKey(key: string): Promise<void> {
    await waitFor(
      async () => {
        if ((await session.permission.count()) > 0) await app.page.keyboard.press(key);
        return session.permission.count();
      },
      (count) => count === 0,
      `the answer by the key ${key}`,
    );
  }
});

test("W-8 (D13) deny with a reason: the request is denied and the agent reads why; Esc closes and keeps the text", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session, path } = chat;
  await session.say("run echo never > proof");
  await session.permission.waitFor();
  const reason = session.frame.getByRole("textbox", { name: "Reason for the agent" });
  await session.transcript.focus();
  await app.page.keyboard.press("Shift+D");
  await reason.waitFor();
  await app.page.keyboard.type("time");
  await app.page.keyboard.press("Escape");
  await reason.waitFor({ state: "hidden" });
  await expectSoon(() => session.permission.count()).toBe(1);
  await session.button("Deny with a reason…").press("Enter");
  await expectSoon(() => reason.inputValue()).toBe("time");
  await reason.fill("echo rather this");
  // A card that has just changed its size ignores Enter for a moment.
  await waitFor(
    async () => {
      if ((await session.permission.count()) > 0) await app.page.keyboard.press("Enter");
      return session.permission.count();
    },
    (count) => count === 0,
    "the denial",
  );
  await session.untilIdle();
  await session.entries("user").getByText("echo rather this").waitFor();
  expect(app.sent("permission:respond")).toMatchObject([{ optionId: "reject-once", reason: "echo rather this" }]);
  await expectSoon(() => session.entries("tool-call").first().getAttribute("data-status")).toBe("error");
  await expectSoon(() => Bun.file(join(path, "proof")).exists()).toBe(false);
  await expectSoon(() => session.message.evaluate((field) => field.ownerDocument.activeElement === field)).toBe(true);
});

test("W-8 (D13) an unfinished reason moves to the composer when the request is answered elsewhere", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await using other = await chromium.open(server);
  await session.say("run echo elsewhere");
  const theirs = await other.open("run echo elsewhere");
  await session.permission.waitFor();
  await session.transcript.focus();
  await app.page.keyboard.press("Shift+D");
  await app.page.keyboard.type("half a");
  await theirs.permission.getByRole("button", { name: "Allow once", exact: true }).click();
  await session.permission.waitFor({ state: "detached" });
  await app.page.keyboard.type(" reason");
  await expectSoon(() => session.message.inputValue()).toBe("half a reason");
});

test("W-8 X-15 by keyboard: the options can be reached with Tab and pressed with Enter", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  await session.say("run echo tabbed");
  await session.permission.waitFor();
  const always = session.permission.getByRole("button", { name: OPTIONS[1] ?? "", exact: true });
  await session.transcript.focus();
  await waitFor(
    async () => {
      await app.page.keyboard.press("Tab");
      return always.evaluate((button) => button.ownerDocument.activeElement === button);
    },
    (isFocused) => isFocused,
    "the option to have the focus",
  );
  // A card that has just come up ignores keys for a moment, so the key may have to be pressed again.
  await waitFor(
    async () => {
      if ((await session.permission.count()) > 0) await app.page.keyboard.press("Enter");
      return session.permission.count();
    },
    (count) => count === 0,
    "the answer by Enter",
  );
  await session.untilSaid("succeeded");
  await session.untilIdle();
  await session.say("run echo again");
  await waitFor(
    () => session.entries("tool-call").evaluateAll((calls) => calls.map((call) => call.getAttribute("data-status"))),
    (seen) => Bun.deepEquals(seen, ["complete", "complete"]),
    "a second command that is not asked about",
  );
});

test("W-8 X-2 a question shows on every page, and is gone everywhere when anyone has answered", async () => {
  await using chat = await openChat(chromium, server);
  const { session } = chat;
  await using other = await chromium.open(server);
  await session.say("run echo together");
  const theirs = await other.open("run echo together");
  await session.permission.waitFor();
  await theirs.permission.waitFor();
  await other.refresh();
  const still = await other.shownSession();
  await still.permission.getByRole("button", { name: "Allow once", exact: true }).click();
  await session.permission.waitFor({ state: "detached" });
  await still.permission.waitFor({ state: "detached" });
  await session.untilSaid("succeeded");
  await still.untilSaid("succeeded");
  await expectSoon(() => session.texts("tool-call")).toEqual(await still.texts("tool-call"));
});

test("W-3 a cancel withdraws the question", async () => {
  await using chat = await openChat(chromium, server);
  const { session } = chat;
  await session.say("run echo never");
  await session.permission.waitFor();
  await session.cancel.click();
  await session.permission.waitFor({ state: "detached" });
  await session.untilIdle();
  await expectSoon(() => session.entries("tool-call").getAttribute("data-status")).toBe("cancelled");
});

test("X-6 messages sent during a turn wait as chips, can be taken back or dropped, and go out in order", async () => {
  await using chat = await openChat(chromium, server);
  const { session } = chat;
  await session.say("run echo first");
  await session.permission.waitFor();
  for (const text of ["stream 1 words", "drop me", "take me back"]) await session.say(text);
  await waitFor(
    () => session.queued.allInnerTexts(),
    (seen) => seen.length === 3,
    "three queued messages",
  );
  await expectSoon(() => session.texts("user")).toHaveLength(1);
  await session.queued.filter({ hasText: "drop me" }).getByRole("button", { name: "Remove queued message" }).click();
  await session.queued.filter({ hasText: "drop me" }).waitFor({ state: "detached" });
  await session.message.press("ArrowUp");
  await session.untilDraft("take me back");
  await session.queued.filter({ hasText: "take me back" }).waitFor({ state: "detached" });
  await session.message.fill("stream 2 words");
  await session.message.press("Enter");
  await session.queued.filter({ hasText: "stream 2 words" }).waitFor();
  await session.permission.getByRole("button", { name: "Allow once", exact: true }).click();
  await session.untilSaid("w1 w2");
  await session.untilIdle();
  await expectSoon(() => session.queued.count()).toBe(0);
  const sent = await session
    .entries("user")
    .evaluateAll((all) => all.map((one) => one.querySelector("p")?.textContent));
  expect(sent).toEqual(["run echo first", "stream 1 words", "stream 2 words"]);
});

test("X-6 a cancel keeps what waits in the queue, and the next message sets it going", async () => {
  await using chat = await openChat(chromium, server);
  const { session } = chat;
  await session.say("sleep");
  await session.untilSaid("Sleeping");
  await session.say("stream 1 words");
  await session.queued.filter({ hasText: "stream 1 words" }).waitFor();
  await session.cancel.click();
  await session.untilIdle();
  await expectSoon(() => session.queued.count()).toBe(1);
  await session.say("stream 2 words");
  await waitFor(
    async () => (await session.texts("assistant")).toSorted(),
    (seen) => Bun.deepEquals(seen, ["Sleeping until you cancel.", "w1", "w1 w2"]),
    "both messages to be answered",
  );
  await session.untilIdle();
  await expectSoon(() => session.queued.count()).toBe(0);
});
