import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import decodeQR from "qr/decode.js";
import { deviceName } from "../../src/access/devices.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { picturesOf } from "./pictures.ts";
import { useChromium } from "./use-chromium.ts";

const PHONE = { width: 390, height: 844 };
const PIXELS_PER_MODULE = 8;

const chromium = useChromium();

async function openSettings(app: AppPage): Promise<Locator> {
  await app.page.getByRole("button", { name: "Settings" }).click();
  const dialog = app.dialog("Settings");
  await dialog.getByRole("list", { name: "Signed-in devices" }).getByRole("listitem").first().waitFor();
  return dialog;
}

/** The link with the address that this test may use: the same server, by loopback. */
function onLoopback(server: TestServer, link: string): string {
  const { pathname, search } = new URL(link);
  return `${server.origin}${pathname}${search}`;
}

/** What a camera reads from the picture: its dark squares, painted large. */
async function readQr(picture: Locator): Promise<string> {
  const [side = 0] = ((await picture.getAttribute("viewBox")) ?? "").split(" ").map(Number).slice(2);
  const path = (await picture.locator("path").getAttribute("d")) ?? "";
  const width = side * PIXELS_PER_MODULE;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < PIXELS_PER_MODULE; row++) {
      const start = ((Number(y) * PIXELS_PER_MODULE + row) * width + Number(x) * PIXELS_PER_MODULE) * 4;
      for (let at = start; at < start + PIXELS_PER_MODULE * 4; at++) if (at % 4 !== 3) data[at] = 0;
    }
  }
  return decodeQR({ width, height: width, data });
}

test("X-16 (A7) a double click on Pair a device revokes no device, revoking all asks first, and a token is made and revoked (API-2)", async () => {
  await using server = await startTestServer();
  await using other = await chromium.open(server, { losesServer: true, isRefused: true });
  await using desk = await chromium.open(server);
  const settings = await openSettings(desk);
  const devices = settings.getByRole("list", { name: "Signed-in devices" });
  await waitFor(
    () => devices.getByRole("listitem").count(),
    (count) => count === 2,
    "both devices to be listed",
  );
  const pair = settings.getByRole("button", { name: "Pair a device", exact: true });
  await pair.scrollIntoViewIfNeeded();
  const before = await pair.boundingBox();
  await pair.dblclick();
  await settings.getByRole("region", { name: "Pair a device" }).waitFor();
  await expectSoon(() => pair.boundingBox()).toEqual(before);
  await settings.getByRole("button", { name: "Revoke all others…" }).dblclick();
  const question = settings.getByRole("group", { name: "Revoke all others" });
  await question.getByText("Revoke the other device?").waitFor();
  await expectSoon(() => devices.getByRole("listitem").count()).toBe(2);
  await question.getByRole("button", { name: "Revoke it" }).click();
  await other.page.getByText("Signed out").waitFor();

  // API-2: a token is made in the settings, its secret is shown once, works, and ends when it is revoked.
  const tokens = settings.getByRole("region", { name: "Tokens", exact: true });
  await tokens.getByRole("button", { name: "New token" }).click();
  const form = tokens.getByRole("form", { name: "New token" });
  await form.getByLabel("Name").fill("Nightly build");
  await form.getByLabel("Name").press("Enter");
  const secret = await tokens.getByRole("textbox", { name: "Token" }).inputValue();
  const headers = { Authorization: `Bearer ${secret}` };
  const status = async (method: string, path: string) => (await server.fetch(path, { method, headers })).status;
  expect([await status("GET", "/api/v1/sessions"), await status("POST", "/api/v1/sessions")]).toEqual([200, 403]);
  expect(await axeViolations(desk.page)).toEqual([]);
  await tokens.getByRole("button", { name: "Done" }).click();
  await tokens.getByRole("textbox", { name: "Token" }).waitFor({ state: "detached" });
  await expectSoon(() => tokens.textContent()).not.toContain(secret);
  const row = tokens.getByRole("listitem").filter({ hasText: "Nightly build" });
  await row.getByText("Read only · all projects").waitFor();
  await tokens.getByRole("button", { name: "Revoke Nightly build" }).click();
  await row.waitFor({ state: "detached" });
  await expectSoon(() => status("GET", "/api/v1/sessions")).toBe(401);

  // API-9: a hook is made, called, changed, tested and revoked there.
  await desk.page.keyboard.press("Escape");
  await settings.waitFor({ state: "hidden" });
  await desk.addProject(await server.directory("demo"));
  const hooks = (await openSettings(desk)).getByRole("region", { name: "Incoming hooks" });
  await hooks.getByRole("button", { name: "New hook" }).click();
  const hook = hooks.getByRole("form", { name: "New hook" });
  await hook.getByRole("button", { name: "Create" }).click();
  await hook.getByText("Enter a name of small letters").waitFor();
  await hook.getByLabel("Name in the address").fill("build");
  await hook.getByLabel("Text").fill("stream 2 words");
  await hook.getByRole("button", { name: "Create" }).click();
  const key = await hooks.getByRole("textbox", { name: "Secret" }).inputValue();
  const call = { method: "POST", headers: { Authorization: `Bearer ${key}` }, body: "It failed." };
  const ring = async () => (await server.fetch("/hooks/build", call)).status;
  expect(await ring()).toBe(202);
  await hooks.getByRole("button", { name: "Done" }).click();
  await hooks.getByRole("textbox", { name: "Secret" }).waitFor({ state: "detached" });
  await hooks.getByRole("button", { name: "Edit build" }).click();
  const edit = hooks.getByRole("form", { name: "Edit build" });
  await edit.getByLabel("Text").fill("stream 3 words");
  // The answer comes late: it closes its own form, not the one that was opened meanwhile.
  const answer = Promise.withResolvers<void>();
  await desk.page.route("**/api/v1/hooks/build", async (route) => {
    await answer.promise;
    await route.continue();
  });
  await edit.getByRole("button", { name: "Save" }).click();
  await hooks.getByRole("button", { name: "New hook" }).click();
  await hook.getByLabel("Name in the address").pressSequentially("other");
  answer.resolve();
  await hooks.getByText("stream 3 words").waitFor();
  await expectSoon(() => hook.getByLabel("Name in the address").inputValue()).toBe("other");
  await hook.locator("input:focus").waitFor();
  await hook.getByRole("button", { name: "Cancel" }).click();
  await hook.waitFor({ state: "detached" });
  await hooks.getByRole("button", { name: "Test build" }).click();
  await expectSoon(() => hooks.getByRole("list", { name: "Calls of build" }).getByRole("listitem").count()).toBe(2);
  expect(await ring()).toBe(202);
  await hooks.scrollIntoViewIfNeeded();
  await picturesOf(desk.page)("hooks");
  expect(await axeViolations(desk.page)).toEqual([]);
  await hooks.getByRole("button", { name: "Revoke build", exact: true }).click();
  await hooks.getByRole("button", { name: "Revoke build now" }).click();
  await hooks.getByRole("button", { name: "Edit build" }).waitFor({ state: "detached" });
  await expectSoon(ring).toBe(401);

  // What is typed stays when another window saves; the fields that were left alone follow.
  const model = desk.page.getByRole("form", { name: "Model of the built-in agent" });
  await model.getByLabel("Address").fill("http://127.0.0.1:9/typed");
  const client = await server.connect();
  const draft = { kind: "openai", url: "http://127.0.0.1:9/v1", model: "qwen3", key: { from: "none" } } as const;
  await client.ask("model:settings", { type: "model:save", draft });
  await expectSoon(() => model.getByLabel("Model", { exact: true }).inputValue()).toBe("qwen3");
  await expectSoon(() => model.getByLabel("Address").inputValue()).toBe("http://127.0.0.1:9/typed");
});

test("X-16 a phone is paired by a link over TLS, works, and is thrown out the moment it is revoked", async () => {
  await using server = await startTestServer({ env: { LIMINAL_HOST: "0.0.0.0" } });
  await using desk = await chromium.open(server, { acceptsCertificate: true });
  const settings = await openSettings(desk);
  await settings.getByRole("button", { name: "Pair a device" }).click();
  const panel = settings.getByRole("region", { name: "Pair a device" });
  const link = await panel.getByRole("textbox", { name: "Link" }).inputValue();
  expect(link).not.toContain(server.token);
  expect(await readQr(panel.getByRole("img", { name: "QR code of the link" }))).toBe(link);
  await panel.getByText(server.fingerprint ?? "a fingerprint that is missing").waitFor();
  expect(await axeViolations(desk.page)).toEqual([]);

  const pairingLink = onLoopback(server, link);
  const options = { acceptsCertificate: true, viewport: PHONE, isRefused: true, losesServer: true };
  await using phone = await chromium.open(server, { ...options, pairingLink });
  const name = deviceName(await phone.page.evaluate(() => navigator.userAgent));
  await panel.getByText(`Paired ${name}.`, { exact: true }).waitFor();
  expect(new URL(phone.page.url()).pathname + new URL(phone.page.url()).search).toBe("/");
  const [cookie] = await phone.page.context().cookies();
  expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: "Strict" });

  const client = phone.page;
  await client.getByRole("button", { name: "Show projects" }).click();
  await phone.addProject(await server.directory("from-the-phone"));
  await phone.project("from-the-phone").waitFor();

  const devices = settings.getByRole("list", { name: "Signed-in devices" });
  await waitFor(
    () => devices.getByRole("listitem").allInnerTexts(),
    (rows) => rows.length === 2 && rows.every((row) => row.includes("connected now")),
    "both devices to be listed",
  );
  await expectSoon(() => devices.getByText("this one").count()).toBe(1);
  await devices.getByRole("button", { name: /^Revoke / }).click();
  await client.getByText("Signed out").waitFor();
  await client.reload();
  await client.getByText("This browser is not signed in").waitFor();
  await client.goto(pairingLink);
  await client.getByText("This link no longer works").waitFor();
  await waitFor(
    () => devices.getByRole("listitem").count(),
    (count) => count === 1,
    "the phone to leave the list",
  );
  await expectSoon(() => desk.projectNames()).toEqual(["from-the-phone"]);
});
