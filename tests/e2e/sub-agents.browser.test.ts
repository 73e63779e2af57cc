import { afterAll, beforeAll, expect, test } from "bun:test";
import { CHILD_TITLE, delegatingAgent } from "../integration/delegating-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { axeViolations } from "./axe-violations.ts";
import { openChat } from "./open-sessions.ts";
import { textIn } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ agents: { delegating: delegatingAgent() } });
});
afterAll(() => server[Symbol.asyncDispose]());

test("CV-31 a working sub-agent shows its text below it and is stopped by keyboard; the turn continues", async () => {
  await using chat = await openChat(chromium, server, { agent: "Delegating" });
  const { app, session } = chat;
  await session.say("hang");
  const call = session.entries("tool-call").filter({ hasText: CHILD_TITLE }).first();
  const steps = call.locator(".sub-agent-list");
  await steps.getByText("I look into src.").waitFor();
  await steps.getByText("From the agent").waitFor();
  await expectSoon(() => textIn(steps)).toContain("Find where input is parsed.");
  await expectSoon(() => textIn(steps)).not.toContain("Meanwhile I wait.");
  await expectSoon(() => steps.getByRole("button", { name: "Edit and resend" }).count()).toBe(0);
  expect(await axeViolations(app.page)).toEqual([]);
  const stop = call.getByRole("button", { name: `Stop ${CHILD_TITLE}` });
  await stop.focus();
  await stop.press("Enter");
  await session.untilSaid("I go on without it.");
  await session.untilIdle();
  await call.getByText("cancelled").first().waitFor();
  await expectSoon(() => stop.count()).toBe(0);
  expect(app.sent("session:cancel")).toEqual([]);
});

test("CV-31 the permission request of a sub-agent names it", async () => {
  await using chat = await openChat(chromium, server, { agent: "Delegating" });
  const { app, session } = chat;
  await session.say("delegate");
  await session.permission.waitFor();
  await expectSoon(() => textIn(session.permission)).toContain(`${CHILD_TITLE} · sub-agent of Delegating`);
  await session.permission.getByRole("button", { name: "Allow" }).first().click();
  await session.question.waitFor();
  await expectSoon(() => textIn(session.question)).toContain(`${CHILD_TITLE} · sub-agent of Delegating`);
  expect(await axeViolations(app.page)).toEqual([]);
});
