import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { z } from "zod";
import { expectSoon } from "../support/expect-soon.ts";
import { NoticeReceiver } from "../support/notice-receiver.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { axeViolations } from "./axe-violations.ts";
import { prepareSessions } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const SECRET = "a-secret-of-this-test";
const PHONE = { width: 390, height: 844 };
const chromium = useChromium();

test("CV-51 the settings add a target, show the error in an address, test it, and show a rejected notice", async () => {
  await using receiver = new NoticeReceiver();
  await using server = await startTestServer();
  await using app = await chromium.open(server, { viewport: PHONE });
  await app.page.keyboard.press("Control+,");
  const part = app.dialog("Settings").getByRole("region", { name: "Notifications", exact: true });
  await part.getByRole("button", { name: "Add ntfy or webhook" }).click();
  const form = part.getByRole("form", { name: "New target" });
  await form.getByLabel("Address").fill("ntfy.sh/topic");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("Expected an address that starts with http:// or https://").waitFor();
  await form.getByLabel("Address").fill(receiver.url("/topic?auth=secret"));
  await form.getByRole("checkbox", { name: "Finished" }).check();
  await form.getByRole("combobox", { name: "Wait before sending" }).selectOption("0");
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  const row = part.getByRole("listitem");
  await expectSoon(() => row.textContent()).toContain(receiver.url("/topic"));
  await expectSoon(() => row.textContent()).not.toContain("secret");
  await row.getByRole("button", { name: /^Test / }).click();
  await row.getByText("Test notice sent.").waitFor();
  expect(receiver.received.map(({ path }) => path)).toEqual(["/topic?auth=secret"]);
  expect(await axeViolations(app.page)).toEqual([]);
  await expectSoon(() => part.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  receiver.replies = [403];
  const client = await server.connect();
  const path = await server.directory("demo");
  const { project } = await client.ask("project:added", { type: "project:add", path });
  const { sessionId } = await client.ask("session:created", {
    type: "session:create",
    projectId: project.id,
    cliType: "builtin",
  });
  await client.ask("ok", { type: "session:send", sessionId, content: "hello" });
  await row.getByText("The service rejected the notice (HTTP 403). Check the token in the address.").waitFor();
  await row.getByRole("button", { name: /^Edit / }).click();
  const edit = part.getByRole("form", { name: /^Edit / });
  await edit.getByRole("checkbox", { name: "Usage limit" }).uncheck();
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.waitFor({ state: "detached" });
  await row.getByRole("button", { name: /^Test / }).click();
  await row.getByText("Test notice sent.").waitFor();
  expect(receiver.received.at(-1)?.path).toBe("/topic?auth=secret");
  await row.getByRole("button", { name: /^Remove / }).click();
  await row.waitFor({ state: "detached" });
});

test("API-10 the settings add a signed hook, which also reports what a page shows, and keep its secret when it is edited", async () => {
  await using receiver = new NoticeReceiver();
  await using server = await startTestServer();
  const { say } = await prepareSessions(server, "demo", ["In view"]);
  await using app = await chromium.open(server);
  await app.open("In view");
  await app.page.keyboard.press("Control+,");
  const part = app.dialog("Settings").getByRole("region", { name: "Notifications", exact: true });
  await part.getByRole("button", { name: "Add ntfy or webhook" }).click();
  const form = part.getByRole("form", { name: "New target" });
  await form.getByLabel("Address").fill(receiver.url("/hook"));
  await form.getByRole("combobox", { name: "Format" }).selectOption("json");
  await form.getByLabel("Signing secret").fill("too short");
  await form.getByRole("checkbox", { name: "Finished" }).check();
  await form.getByRole("combobox", { name: "Wait before sending" }).selectOption("0");
  await form.getByRole("checkbox", { name: "Send also while a page shows the session" }).check();
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("The signing secret needs at least 16 characters.").waitFor();
  await form.getByLabel("Signing secret").fill(SECRET);
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  const row = part.getByRole("listitem");
  await row.getByText("JSON webhook · signed ·").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await row.getByRole("button", { name: /^Edit / }).click();
  const edit = part.getByRole("form", { name: /^Edit / });
  await edit.getByRole("checkbox", { name: "Usage limit" }).uncheck();
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.waitFor({ state: "detached" });
  await app.page.keyboard.press("Escape");
  await (await app.shownSession()).message.waitFor();

  await say("In view", "stream 1 words");
  const [notice] = await receiver.until(1);
  const { headers, body } = notice ?? expect.unreachable();
  const signed = `${headers.get("X-Liminal-Timestamp")}.${body}`;
  const signature = createHmac("sha256", SECRET).update(signed).digest("hex");
  expect(headers.get("X-Liminal-Signature")).toBe(`sha256=${signature}`);
});

/** Notes what the page asks of the browser: sounds that start, and badges of the app. */
const NOTE_CALLS = `globalThis.calls = [];
  globalThis.Notification = class extends Notification {
    // The headless shell cannot ask a user, and so denies.
    static permission = "granted";
    static requestPermission = async () => "granted";
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (when) {
    calls.push("sound");
    start.call(this, when);
  };
  navigator.setAppBadge = async (count) => void calls.push("badge " + count);
  navigator.clearAppBadge = async () => void calls.push("no badge");`;

test("X-11 a session that waits sets the app's badge, and plays the sound that the user switched on", async () => {
  await using server = await startTestServer();
  const { say } = await prepareSessions(server, "demo", ["In view", "Elsewhere"]);
  await using app = await chromium.open(server);
  await app.page.context().grantPermissions(["notifications"], { origin: server.origin });
  await app.page.addInitScript(NOTE_CALLS);
  await app.refresh();
  const calls = async () => z.array(z.string()).parse(await app.page.evaluate("calls"));
  await app.open("In view");
  await app.page.keyboard.press("Control+,");
  const settings = app.dialog("Settings");
  const sound = settings.getByRole("checkbox", { name: "Play a sound when an agent is waiting for you" });
  await expectSoon(() => sound.isDisabled()).toBe(true);
  await settings.getByRole("combobox", { name: "Notify me when I'm away" }).selectOption("blocked");
  await sound.check();
  await expectSoon(() => calls()).toEqual(["no badge", "sound", "sound"]);
  await app.page.keyboard.press("Escape");
  await settings.waitFor({ state: "hidden" });
  await say("Elsewhere", "run true");
  const all = await waitFor(calls, ({ length }) => length >= 6, "the badge and the sound");
  expect(all.slice(3).toSorted()).toEqual(["badge 1", "sound", "sound"]);
});
