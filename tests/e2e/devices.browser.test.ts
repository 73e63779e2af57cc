import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import decodeQR from "qr/decode.js";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
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

test("X-16 (A7) a double click on Pair a device revokes nobody, and revoking all asks first", async () => {
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
  const before = await pair.boundingBox();
  await pair.dblclick();
  await settings.getByRole("region", { name: "Pair a device" }).waitFor();
  expect(await pair.boundingBox()).toEqual(before);
  await settings.getByRole("button", { name: "Revoke all others…" }).dblclick();
  const question = settings.getByRole("group", { name: "Revoke all others" });
  await question.getByText("Revoke the other device?").waitFor();
  expect(await devices.getByRole("listitem").count()).toBe(2);
  await question.getByRole("button", { name: "Revoke it" }).click();
  await other.page.getByText("Signed out").waitFor();
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
  await panel.getByText("Paired ").waitFor();
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
  expect(await devices.getByText("this one").count()).toBe(1);
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
  expect(await desk.projectNames()).toEqual(["from-the-phone"]);
});
