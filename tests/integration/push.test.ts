import { expect, test } from "bun:test";
import { createDecipheriv, createECDH, createHmac } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { startTalk } from "./talk.ts";

const hmac = (key: Buffer, ...data: readonly Buffer[]) =>
  createHmac("sha256", key).update(Buffer.concat(data)).digest();

/** What a browser does with a message: the other half of RFC 8291, written from the receiver's side. */
function readPush(body: Buffer, pair: ReturnType<typeof createECDH>, auth: Buffer): unknown {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + body.readUInt8(20));
  const sealed = body.subarray(21 + sender.length);
  const shared = hmac(auth, pair.computeSecret(sender));
  const input = hmac(shared, Buffer.from("WebPush: info\0"), pair.getPublicKey(), sender, Buffer.from([1]));
  const secret = hmac(salt, input);
  const key = hmac(secret, Buffer.from("Content-Encoding: aes128gcm\0\x01")).subarray(0, 16);
  const nonce = hmac(secret, Buffer.from("Content-Encoding: nonce\0\x01")).subarray(0, 12);
  const opener = createDecipheriv("aes-128-gcm", key, nonce);
  opener.setAuthTag(sealed.subarray(-16));
  const opened = Buffer.concat([opener.update(sealed.subarray(0, -16)), opener.final()]);
  return JSON.parse(opened.subarray(0, opened.lastIndexOf(2)).toString());
}

test("X-47 a subscribed device gets notices that only it can read; none are sent before, and none after it is revoked", async () => {
  await using server = await startTestServer();
  const got: { body: Buffer; headers: Headers }[] = [];
  await using service = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      got.push({ body: Buffer.from(await request.arrayBuffer()), headers: request.headers });
      return new Response(null, { status: 201 });
    },
  });
  const entered = await fetch(server.url, { redirect: "manual" });
  const Cookie = entered.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
  const ask = (method: string, body?: object | null) =>
    fetch(`${server.origin}/api/push`, {
      method,
      headers: { Cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  expect(await (await ask("GET")).json()).toMatchObject({ isOn: false });
  expect(statSync(join(server.dataDir, "push-keys.json")).mode & 0o777).toBe(0o600);
  const endpoint = `http://127.0.0.1:${service.port}/inbox`;
  expect((await ask("POST", { endpoint: "http://10.0.0.1/", keys: { p256dh: "", auth: "" } })).status).toBe(400);
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  const auth = Buffer.alloc(16, 7);
  const keys = { p256dh: pair.getPublicKey("base64url"), auth: auth.toString("base64url") };
  expect(await (await ask("POST", { endpoint, keys })).json()).toEqual({ isOn: true });

  const talk = await startTalk(server, "builtin");
  await talk.say("stream 1 words");
  await waitFor(
    async () => got.length,
    (count) => count === 1,
    "the first push",
  );
  const [first] = got;
  if (!first) throw new Error("nothing was pushed");
  expect(readPush(first.body, pair, auth)).toEqual({
    title: "Liminal Guide has finished",
    body: expect.stringContaining("stream 1 words"),
    tag: talk.sessionId,
    session: talk.sessionId,
  });
  expect(first.headers.get("authorization")).toStartWith("vapid t=");
  expect(first.body.includes(server.token)).toBe(false);

  // It survives a restart, and goes with its device.
  await server.stop();
  await server.start();
  expect(await (await ask("GET")).json()).toMatchObject({ isOn: true });
  const devices = await (
    await fetch(`${server.origin}/api/devices`, { headers: { Authorization: `Bearer ${server.token}` } })
  ).json();
  for (const { id } of devices.devices)
    await fetch(`${server.origin}/api/devices/revoke`, {
      method: "POST",
      headers: { Authorization: `Bearer ${server.token}` },
      body: JSON.stringify({ id }),
    });
  expect((await ask("GET")).status).toBe(401);
  await server.stop();
  await server.start();
  const stored = new (await import("node:sqlite")).DatabaseSync(join(server.dataDir, "liminal.db"), { readOnly: true });
  expect(stored.prepare("SELECT endpoint FROM push_subscription").all()).toEqual([]);
  stored.close();
  expect(got).toHaveLength(1);
});
