import { expect, test } from "bun:test";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

/**
 * Records the announcements of the frame's live region, as a screen reader gets them: each text that is added to it.
 */
async function listen(session: SessionView): Promise<() => Promise<string[]>> {
  const region = session.frame.locator("main > [aria-live=polite]");
  await region.evaluate((element) => {
    const spoken: string[] = [];
    const observer = new MutationObserver((changes) => {
      for (const { addedNodes, type, target } of changes) {
        if (type === "characterData") spoken.push(`changed: ${target.textContent}`);
        for (const node of addedNodes) spoken.push(node.textContent ?? "");
      }
    });
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    Reflect.set(globalThis, "spoken", spoken);
  });
  return () => region.evaluate((): string[] => Reflect.get(globalThis, "spoken"));
}

async function untilSpoken(spoken: () => Promise<string[]>, words: readonly string[]): Promise<void> {
  await waitFor(spoken, (heard) => heard.length >= words.length, `${words.length} utterances`);
  expect(await spoken()).toEqual([...words]);
}

async function openScripted() {
  const server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Scripted");
  return {
    app,
    session,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** A chunk that comes in an answer only after the client has answered: nothing is merged across it. */
const pause = (id: string) => ({ ask: { id, method: "session/request_permission", params: PERMISSION } });
const PERMISSION = {
  toolCall: { toolCallId: "call", title: "rm -rf dist", kind: "execute", rawInput: { command: "rm -rf dist" } },
  options: [{ optionId: "yes", name: "Allow once", kind: "allow_once" }],
};

test("X-15 speech: finished sentences of a streamed answer, each once, without markup and without code", async () => {
  await using chat = await openScripted();
  const { session } = chat;
  const spoken = await listen(session);
  const words = "The **first** sentence is here. The second [one](https://example.com) follows! And a rest";
  const letters = [...words].map((letter) => chunk(letter));
  await session.say(script(...letters));
  await session.untilSaid("And a rest");
  const whole = async () => (await spoken()).join(" ");
  await waitFor(whole, (heard) => heard.includes("follows!"), "the second sentence");
  await expectSoon(() => whole()).toBe("The first sentence is here. The second one follows!");
  for (const utterance of await spoken()) expect(utterance).toMatch(/[.!]$/);
  await session.cancel.click();
  await session.untilIdle();
  await waitFor(whole, (heard) => heard.includes("And a rest"), "the rest");
  expect(await whole()).toStartWith("The first sentence is here. The second one follows! And a rest");
});

test("X-15 speech: a permission is asked aloud, once, with what it is about; what follows is spoken after it", async () => {
  await using chat = await openScripted();
  const { session } = chat;
  const spoken = await listen(session);
  await session.say(script(chunk("I clean up first."), pause("one"), { end: "end_turn" }));
  await session.permission.waitFor();
  const asked = ["I clean up first.", "Scripted asks: Run this command? rm -rf dist"];
  await untilSpoken(spoken, asked);
  await session.permission.getByRole("button", { name: "Allow once" }).click();
  await session.untilSaid("selected");
  await session.untilIdle();
  await untilSpoken(spoken, [...asked, '{"outcome":{"outcome":"selected","optionId":"yes"}}']);
});

test("X-15 speech: an error that ends a turn is spoken, once, and not again when the session is opened later", async () => {
  await using chat = await openScripted();
  const { app, session } = chat;
  const spoken = await listen(session);
  await session.say(script(chunk("It begins."), { fail: { code: -32603, message: "The disk is full." } }));
  await session.button("Try again").waitFor();
  await waitFor(spoken, (heard) => heard.some((words) => words.includes("The disk is full.")), "the error");
  const heard = await spoken();
  expect(heard[0]).toBe("It begins."); // said although it began and ended between two frames
  expect(heard.filter((words) => words.includes("The disk is full."))).toHaveLength(1);
  expect(new Set(heard).size).toBe(heard.length);
  await app.refresh();
  const again = await app.shownSession();
  await again.button("Try again").waitFor();
  await expectSoon(() => again.frame.locator("main > [aria-live=polite]").textContent()).toBe("");
});
