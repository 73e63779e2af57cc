import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { countFromTo, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { openChat } from "./open-sessions.ts";
import { textIn } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ agents: { scripted: scriptedAgent() } });
});
afterAll(() => server[Symbol.asyncDispose]());

/** The colours in which the parts of an element are drawn. */
function coloursIn(element: Locator): Promise<string[]> {
  return element.evaluate((root) => {
    const parts = [root, ...root.querySelectorAll("*")];
    return [...new Set(parts.map((part) => String(part.ownerDocument.defaultView?.getComputedStyle(part).color)))];
  });
}

test("TC-3.1a a sent message is there at once, before the server has it, and once when it has", async () => {
  await using chat = await openChat(chromium, server);
  const { session } = chat;
  const mine = session.entries("user");
  // Enter waits for the history of the session, so the history must be there before the server stops.
  await session.message.fill("stream 2 words");
  await session.untilSendIs("on");
  process.kill(server.pid, "SIGSTOP");
  try {
    await session.message.press("Enter");
    await mine.getByText("stream 2 words").waitFor();
    await expectSoon(() => mine.getAttribute("data-entry-id")).toBeNull();
    await expectSoon(() => session.message.inputValue()).toBe("");
  } finally {
    process.kill(server.pid, "SIGCONT");
  }
  await session.untilSaid("w1 w2");
  await session.untilIdle();
  await expectSoon(() => mine.count()).toBe(1);
  await expectSoon(() => mine.getAttribute("data-entry-id")).not.toBeNull();
});

test("TC-3.1b an empty message cannot be sent, by button or by key", async () => {
  await using chat = await openChat(chromium, server);
  const { app, session } = chat;
  for (const nothing of ["", "   ", "\n\n"]) {
    await session.message.fill(nothing);
    await session.untilSendIs("off");
    await session.message.press("Enter");
  }
  await session.message.fill("stream 1 words");
  await session.untilSendIs("on");
  await session.send.click();
  await session.untilSaid("w1");
  expect(app.sent("session:send").map(({ content }) => content)).toEqual(["stream 1 words"]);
});

test("TC-3.2a the answer grows as it arrives, in place", async () => {
  await using dir = await tempDir();
  await using chat = await openChat(chromium, server, { agent: "Scripted" });
  const { session } = chat;
  const answer = session.entries("assistant");
  // Recorded in the page itself: from outside only the end may be seen.
  await session.transcript.evaluate((log) => {
    const lengths: number[] = [];
    Reflect.set(window, "lengths", lengths);
    const look = () => {
      const paragraph = log.querySelector('[data-entry-type="assistant"] p');
      if (lengths.length === 0) paragraph?.setAttribute("data-marked", "");
      const length = paragraph?.textContent?.length;
      if (length !== undefined && length !== lengths.at(-1)) lengths.push(length);
    };
    new MutationObserver(look).observe(log, { subtree: true, childList: true, characterData: true });
  });
  // Each part waits until the one before is shown: however slow the machine is, the page draws at least so often.
  const parts = [1, 2, 3, 4];
  const steps = parts.flatMap((part) => [
    ...countFromTo(part * 30 - 29, part * 30),
    { untilFile: dir.join(`after-${part}`) },
  ]);
  await session.say(script(...steps, { end: "end_turn" }));
  for (const part of parts) {
    await session.untilSaid(`w${part * 30}`);
    await writeFile(dir.join(`after-${part}`), "");
  }
  await session.untilIdle();
  const seen = await session.transcript.evaluate((): number[] => Reflect.get(window, "lengths"));
  expect(seen.length).toBeGreaterThanOrEqual(parts.length);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  const words = Array.from({ length: 120 }, (_, index) => `w${index + 1}`).join(" ");
  await expectSoon(() => textIn(answer)).toBe(words);
  await expectSoon(() => answer.locator("p[data-marked]").count()).toBe(1);
});

test("TC-3.2b markdown is shown as such, tables included, and code is highlighted", async () => {
  await using chat = await openChat(chromium, server);
  const { session, path } = chat;
  await session.ask("help", "Try these first");
  const page = session.entries("assistant").last();
  await page.getByRole("heading", { name: "Hello, I am the guide" }).waitFor();
  await page.getByRole("table").getByRole("columnheader", { name: "Prompt" }).waitFor();
  await writeFile(join(path, "main.ts"), `const answer = 42; // why\nexport const text = "words";\n`);
  await session.frame.getByRole("combobox", { name: "Voice" }).selectOption({ label: "Detailed" });
  await waitFor(
    () => session.frame.getByRole("combobox", { name: "Voice" }).inputValue(),
    (value) => value === "detailed",
    "the agent to take the choice",
  );
  await session.ask("read main.ts", "export const text");
  const code = session.entries("assistant").last().locator("pre").first();
  await waitFor(
    () => coloursIn(code),
    (colours) => colours.length > 3,
    "keywords, numbers, strings and comments in colours of their own",
  );
  await expectSoon(() => textIn(code)).toContain(`const answer = 42; // why\nexport const text = "words";`);
});

test("TC-3.3a a running tool call shows its name and a running mark; TC-3.7b a cancel ends it", async () => {
  await using chat = await openChat(chromium, server);
  const { session } = chat;
  await session.say("run echo begun; exec sleep 1000");
  await session.permission.getByRole("button", { name: "Allow once", exact: true }).click();
  const call = session.entries("tool-call");
  await session.transcript.locator('article[data-entry-type="tool-call"][data-status="running"]').waitFor();
  await expectSoon(() => textIn(call)).toContain("echo begun; exec sleep 1000");
  await expectSoon(() => textIn(call)).toContain("Running");
  await call.getByRole("button", { expanded: false }).click();
  await call.getByText("begun", { exact: true }).waitFor();
  await session.cancel.click();
  await session.transcript.locator('article[data-entry-type="tool-call"][data-status="cancelled"]').waitFor();
  await session.untilIdle();
});

test("TC-3.3b a finished tool call is collapsed with a success mark and expands to its output", async () => {
  await using chat = await openChat(chromium, server);
  const { session, path } = chat;
  await writeFile(join(path, "notes.md"), "the output itself\n");
  await session.ask("read notes.md", "has 1 line");
  const call = session.entries("tool-call");
  await expectSoon(() => call.getAttribute("data-status")).toBe("complete");
  await expectSoon(() => textIn(call)).toContain("Complete");
  const output = call.getByText("the output itself");
  await expectSoon(() => output.count()).toBe(0);
  const line = call.getByRole("button", { name: /^Read/ });
  await expectSoon(() => line.getAttribute("aria-expanded")).toBe("false");
  await line.click();
  await output.waitFor();
  await expectSoon(() => line.getAttribute("aria-expanded")).toBe("true");
  await line.click();
  await output.waitFor({ state: "detached" });
});

test("TC-3.3c a failed tool call shows its error", async () => {
  await using chat = await openChat(chromium, server);
  const { session } = chat;
  await session.ask("read missing.txt", "I could not read it");
  const call = session.entries("tool-call");
  await expectSoon(() => call.getAttribute("data-status")).toBe("error");
  await expectSoon(() => textIn(call)).toMatch(/missing\.txt.*Failed.*missing\.txt/s);
});

test("TC-3.4a thinking is muted, folds away and opens again", async () => {
  await using chat = await openChat(chromium, server);
  const { session } = chat;
  await session.ask("think", "I have thought about it");
  const thoughts = session.entries("thinking");
  const line = thoughts.getByRole("button", { name: /^Thought/ });
  const words = thoughts.getByText("The question is what thinking looks like from outside.");
  await expectSoon(() => line.getAttribute("aria-expanded")).toBe("false");
  await expectSoon(() => words.isVisible()).toBe(false);
  await line.click();
  await words.waitFor();
  const answer = session.entries("assistant").locator("p").first();
  await expectSoon(() => coloursIn(words)).not.toContain((await coloursIn(answer))[0]);
  await line.click();
  await words.waitFor({ state: "hidden" });
});
