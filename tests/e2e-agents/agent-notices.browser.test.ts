import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import type { ShellToPortlet } from "../../src/protocol/portlet-messages.ts";
import { type OpenPortlet, openPortlet } from "../portlet/open-portlet.ts";
import { assistant, Facts, history, IDLE, RUNNING, SESSION, user } from "../portlet/scene.ts";
import { expectSoon } from "../support/expect-soon.ts";

let portlet: OpenPortlet;
let facts: Facts;
beforeAll(async () => {
  portlet = await openPortlet();
});
afterAll(() => portlet[Symbol.asyncDispose]());
beforeEach(async () => {
  facts = new Facts();
  await portlet.reload();
  await portlet.show(SESSION, status("connected"), history([user("u", "Do it"), assistant("a", "Yes.")]));
});
afterEach(async () => expect(await portlet.problems()).toEqual([]));

type Status = Extract<ShellToPortlet, { type: "agent:status" }>;

function status(is: Status["status"], message?: string): Status {
  return { type: "agent:status", status: is, ...(message === undefined ? {} : { message }) };
}
const button = (name: string) => portlet.frame.getByRole("button", { name, exact: true });
const text = (words: string) => portlet.frame.getByText(words);

test("TC-5.4a a start is a word in the header; only one that takes long gets a card, in the server's words", async () => {
  await portlet.show(status("starting"));
  await portlet.frame.getByRole("status", { name: "Agent status" }).getByText("Starting Built-in…").waitFor();
  await expectSoon(() => portlet.frame.locator(".notice").count()).toBe(0);
  await portlet.show(status("starting", "Still starting. The first start can take a while."));
  await text("Still starting. The first start can take a while.").waitFor();
  await portlet.show(status("connected"));
  await expectSoon(() => portlet.frame.locator(".notice").count()).toBe(0);
});

test("an ignored cancel is shown and leaves Restart; the composer's own Cancel stays", async () => {
  await portlet.show(facts.turn({ ...RUNNING, state: "stalled" }));
  await expectSoon(() => button("Cancel").count()).toBe(1);
  await button("Cancel").click();
  await portlet.heard("session:cancel");
  const error = {
    code: "AGENT_UNAVAILABLE",
    message: "The agent is not responding to Cancel. Restart it to continue.",
  };
  await portlet.show(facts.turn({ ...RUNNING, state: "stalled", error }));
  await text("The agent is not responding to Cancel. Restart it to continue.").waitFor();
  await expectSoon(() => button("Cancel").count()).toBe(1);
  await button("Restart").click();
  expect(await portlet.heard("session:reconnect")).toMatchObject({ cliType: "builtin", restart: true });
});

test("CV-2 (A3) a conversation the agent refused to open offers to try again and to start afresh", async () => {
  const error = { code: "AGENT_SESSION_REFUSED", message: "Built-in could not open this conversation: It is in use." };
  await portlet.show(facts.turn({ ...IDLE, stopReason: "error", error }));
  await button("Try again").click();
  const again = await portlet.heard("session:retry");
  expect("afresh" in again).toBe(false);
  await button("Start over").click();
  expect(await portlet.heard("session:retry", 2)).toMatchObject({ afresh: true });
});

test("a turn that failed for want of a sign-in offers it, and nothing is offered while the agent is away", async () => {
  const error = { code: "AGENT_AUTH_REQUIRED", message: "Built-in needs you to sign in first: Browser." };
  await portlet.show(facts.turn({ ...IDLE, stopReason: "error", error }));
  await button("Sign in").click();
  expect(await portlet.heard("portlet:show")).toMatchObject({ what: "sign-in" });
  await button("Try again").click();
  await portlet.heard("session:retry");
  await portlet.show(status("disconnected", "Built-in stopped. Reconnect to continue."));
  await expectSoon(() => button("Sign in").count()).toBe(0);
  await expectSoon(() => button("Try again").count()).toBe(0);
  await button("Show log").last().click();
  expect(await portlet.heard("portlet:show", 2)).toMatchObject({ what: "log" });
  await portlet.show(status("connected"));
  await button("Try again").waitFor();
});

test("(B6) TC-5.2c while a crashed agent waits for its next start, the card counts down and offers to try now", async () => {
  const nextTryAt = new Date(Date.now() + 3_600_000).toISOString();
  await portlet.show({ ...status("reconnecting", "Built-in stopped. Reconnect to continue."), nextTryAt });
  await text("Built-in stopped").first().waitFor();
  await portlet.frame.getByText(/^Trying again in 3(600|5\d\d) s\.$/).waitFor();
  await expectSoon(() => text("Reconnect to continue").count()).toBe(0);
  await button("Try now").click();
  await portlet.heard("session:reconnect");
});
