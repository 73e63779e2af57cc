import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { type OpenPortlet, openPortlet, painted } from "./open-portlet.ts";
import { assistant, Facts, history, SESSION } from "./scene.ts";

let portlet: OpenPortlet;
beforeAll(async () => {
  portlet = await openPortlet();
});
afterAll(() => portlet[Symbol.asyncDispose]());
beforeEach(async () => {
  await portlet.reload();
  await portlet.show(SESSION, history([assistant("a", "Hello.")]));
});
afterEach(async () => expect(await portlet.problems()).toEqual([]));

const texts = () => portlet.frame.locator("article").allTextContents();

test("messages that are not the shell's, or not of its language, have no effect", async () => {
  const forged = JSON.stringify(history([assistant("x", "Forged.")], { seq: 5_000 }));
  await portlet.frame.evaluate(`window.postMessage(${forged}, location.origin)`);
  for (const wrong of [
    "null",
    '"session:history"',
    '{ type: "session:history" }',
    '{ type: "session:chunk", seq: 2_000 }',
  ]) {
    await portlet.page.evaluate(`frames[0].postMessage(${wrong}, location.origin)`);
  }
  await painted(portlet.frame);
  expect(await texts()).toEqual(["Hello."]);
});

test("a history always replaces what was there, and nothing is ever shown twice", async () => {
  const facts = new Facts();
  const update = facts.update(assistant("b", "Second."));
  await portlet.show(update, update);
  expect(await texts()).toEqual(["Hello.", "Second."]);
  await portlet.show(history([assistant("b", "Second.")], { seq: 2_000 }));
  expect(await texts()).toEqual(["Second."]);
});

test("the shell's keys go up to it, also while typing where they are no text; letters stay in the text", async () => {
  const field = portlet.frame.getByRole("textbox", { name: "Message" });
  await field.press("Alt+2");
  expect(await portlet.heard("portlet:key")).toMatchObject({ key: "2", modifiers: { alt: true, ctrl: false } });
  await field.press("n");
  await expectSoon(() => field.inputValue()).toBe("n");
  await portlet.frame.getByRole("log").press("n");
  expect(await portlet.heard("portlet:key", 2)).toMatchObject({ key: "n" });
});

test("the shell gets a new title, and can focus the message field, unless the keyboard is elsewhere by then", async () => {
  await portlet.show({ type: "session:title-updated", seq: 1_001, title: "Say hello", source: "derived" });
  expect(await portlet.heard("portlet:title")).toEqual({ type: "portlet:title", title: "Say hello" });
  const focused = () => portlet.frame.evaluate("document.activeElement.getAttribute('aria-label')");
  await portlet.show({ type: "portlet:focus" });
  expect(await focused()).toBeNull();
  await portlet.page.locator("iframe").focus();
  await portlet.show({ type: "portlet:focus" });
  await expectSoon(() => focused()).toBe("Message");
});
