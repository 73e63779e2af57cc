import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { liminalJson } from "../cli/liminal.ts";
import { startTalk } from "../integration/talk.ts";
import { launchChromium } from "../support/chromium.ts";
import { startTestServer } from "../support/test-server.ts";
import { DEADLINE_MS } from "../support/wait-for.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

test("X-14 liminal open <session> shows that session in a browser that was not signed in, and in one that is", async () => {
  await using server = await startTestServer();
  const [one, other] = [await startTalk(server), await startTalk(server)];
  await one.say("stream 1 words");
  await other.say("stream 2 words");
  const context = await browser.newContext();
  context.setDefaultTimeout(DEADLINE_MS);
  const page = await context.newPage();
  const shown = (title: string) => page.getByRole("tab", { name: title, exact: true, selected: true }).waitFor();

  const opened = await liminalJson(server, ["open", other.sessionId.slice(0, 16)]);
  expect(opened).toMatchObject({ code: 0, value: { sessionId: other.sessionId, opened: false } });
  await page.goto(pathToFileURL(join(server.dataDir, "open.html")).href);
  await shown("stream 2 words");
  expect(page.url()).toBe(`${server.origin}/`);

  const { value } = await liminalJson(server, ["open", one.sessionId]);
  await page.goto(value.url);
  await shown("stream 1 words");
  expect(page.url()).toBe(`${server.origin}/`);
  // Shown once: a refresh goes back to what was in view last.
  await page.getByRole("tab", { name: "stream 2 words", exact: true }).click();
  await page.reload();
  await shown("stream 2 words");

  expect(await liminalJson(server, ["open", "zzz"])).toMatchObject({ code: 1 });
  await one.client.ask("session:archived", { type: "session:archive", sessionId: one.sessionId });
  expect(await liminalJson(server, ["open", one.sessionId])).toMatchObject({
    code: 1,
    value: { error: { code: "SESSION_ARCHIVED" } },
  });
  await context.close();
});
