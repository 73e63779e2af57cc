import { test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { prepareSessions } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

/** Presses a key in the moment the page is drawn, when no word of the server can have come yet. */
const pressAtFirstSight = (key: string) => `new MutationObserver((_, observer) => {
  if (window !== top || document.querySelector("nav") === null) return;
  observer.disconnect();
  dispatchEvent(new KeyboardEvent("keydown", { key: "${key}" }));
}).observe(document, { childList: true, subtree: true })`;

test("X-15 a key pressed before the server has named its projects is kept: N starts a session, not a project", async () => {
  await using server = await startTestServer();
  await prepareSessions(server, "demo", ["Apricot jam"]);
  await using first = await chromium.open(server);
  await first.open("Apricot jam");
  await first.page.context().addInitScript(pressAtFirstSight("n"));
  await using second = await chromium.open(server, { besides: first });
  await second.dialog("New session").waitFor();
  await expectSoon(() => second.dialog("Add project").count()).toBe(0);
});
