import { test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { prepareSessions } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const PHONE = { width: 390, height: 844 };
const TITLES = ["One", "Two", "Three", "Four", "Five"];
const chromium = useChromium();

test("X-15 find covers no message at the top of the session, whether it opens there or leads there", async () => {
  await using server = await startTestServer();
  await (await prepareSessions(server, "demo", ["Talk"])).say("Talk", "stream 2000 words");
  await using app = await chromium.open(server);
  const session = await app.open("Talk");
  await session.untilSaid("w2000");
  const field = session.frame.getByRole("textbox", { name: "Find in session" });
  const gap = async () => {
    const bar = await session.frame.getByRole("search", { name: "Find in session" }).boundingBox();
    const first = await session.entries("user").first().boundingBox();
    return (first?.y ?? 0) - ((bar?.y ?? 0) + (bar?.height ?? 0));
  };
  await session.message.press("Control+f");
  await field.fill("stream 2000");
  await session.frame.getByText("1 of 1").waitFor();
  await waitFor(gap, (px) => px >= 0, "the first message to be clear of the field it was found by");
  await field.press("Escape");
  await session.message.press("Control+f");
  await waitFor(gap, (px) => px >= 0, "the first message to be clear of the field that opens over it");
});

test("TC-4.1b the active tab stays in view when the window gets narrower", async () => {
  await using server = await startTestServer();
  await prepareSessions(server, "demo", TITLES);
  await using app = await chromium.open(server);
  for (const title of TITLES) await app.open(title);
  await app.page.setViewportSize(PHONE);
  await waitFor(
    () => app.activeTab.boundingBox(),
    (box) => box !== null && box.x >= 0 && box.x + box.width <= PHONE.width,
    "the active tab to be inside the window",
  );
  await expectSoon(() => app.activeTab.getAttribute("aria-selected")).toBe("true");
});
