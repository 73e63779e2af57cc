import { expect, test } from "bun:test";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson, startLiminal } from "../cli/liminal.ts";
import { rawHttp, UPGRADE } from "../integration/raw-http.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1";
/** Wrong tokens of one address in a minute. */
const TRIES_MAX = 100;
const LAPTOP = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";

async function signIn(server: TestServer, agent = LAPTOP, cookie = ""): Promise<string> {
  const headers = { "User-Agent": agent, ...(cookie !== "" && { Cookie: cookie }) };
  const answer = await rawHttp(server.port, { path: `/?token=${server.token}`, headers });
  return cookieOf(answer.headers);
}

/** As a browser does: it says that it loads a page, and finds its page key in the fragment. */
async function signInBrowser(server: TestServer, agent = LAPTOP): Promise<{ Cookie: string; "X-Liminal-Key": string }> {
  const headers = { "User-Agent": agent, Accept: "text/html" };
  const answer = await rawHttp(server.port, { path: `/?token=${server.token}`, headers });
  const key = /^\/#key=([\w-]{43})$/.exec(answer.headers.get("location") ?? "")?.[1] ?? "";
  return { Cookie: cookieOf(answer.headers), "X-Liminal-Key": key };
}

function cookieOf(headers: Headers): string {
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function statusWith(server: TestServer, cookie: string, path = "/api/status"): Promise<number> {
  return (await rawHttp(server.port, { path, headers: { Cookie: cookie } })).status;
}

/** Opens the pairing link as a browser does, and presses its button. */
async function pairBy(server: TestServer, code: string, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${server.origin}/pair`, {
    method: "POST",
    body: new URLSearchParams({ code }),
    headers: { Origin: server.origin, "User-Agent": PHONE, ...headers },
    redirect: "manual",
  });
}

const codeOf = (link: string) => new URL(link).searchParams.get("code") ?? "";

test(
  "X-14 X-16 pair prints a link that signs one device in, once; devices lists and revokes it",
  async () => {
    await using server = await startTestServer();
    const shown = await liminal(server, ["pair"]);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/[█▀▄]/);
    expect(shown.stdout).toContain(`${server.origin}/pair?code=`);
    expect(shown.stdout).toContain("Only this machine can open it");
    const { value } = await liminalJson(server, ["pair"]);
    expect(JSON.stringify(value) + shown.stdout).not.toContain(server.token);
    const code = codeOf(value.url);

    // Looking at the link uses nothing up, whoever does it.
    for (const method of ["HEAD", "GET", "GET"]) expect((await fetch(value.url, { method })).status).toBe(200);
    const paired = await pairBy(server, code);
    expect({ status: paired.status, to: paired.headers.get("location") }).toEqual({ status: 303, to: "/" });
    const cookie = cookieOf(paired.headers);
    expect(await statusWith(server, cookie)).toBe(200);
    expect((await pairBy(server, code)).status).toBe(401);
    expect((await fetch(value.url)).status).toBe(401);

    const { devices } = (await liminalJson(server, ["devices"])).value;
    expect(devices).toMatchObject([{ name: "Safari on iPhone", isConnected: false }]);
    expect((await liminal(server, ["devices"])).stdout).toContain("Safari on iPhone");
    expect((await liminal(server, ["completion", "offer", "devices"])).stdout).toBe(
      `${devices[0].id}\tSafari on iPhone\n`,
    );
    expect((await liminalJson(server, ["devices", "revoke", "zzz"])).value.error.code).toBe("DEVICE_NOT_FOUND");
    expect((await liminal(server, ["devices", "revoke"])).code).toBe(2);
    const revoked = await liminalJson(server, ["devices", "revoke", devices[0].id.slice(0, 6)]);
    expect(revoked).toMatchObject({ code: 0, value: { revoked: [devices[0].id] } });
    expect(await statusWith(server, cookie)).toBe(401);
    expect((await liminalJson(server, ["devices"])).value).toEqual({ devices: [] });
  },
  COMMANDS_TIMEOUT_MS,
);

test(
  "X-14 X-16 pair --wait ends when the link was used and says by whom",
  async () => {
    await using server = await startTestServer();
    const waiting = startLiminal(server, ["pair", "--wait", "--json"]);
    let told = "";
    for await (const bytes of waiting.stderr) {
      told += Buffer.from(bytes).toString();
      if (told.includes("\n")) break;
    }
    expect((await pairBy(server, codeOf(told.trim()))).status).toBe(303);
    const printed = JSON.parse(await new Response(waiting.stdout).text());
    expect(printed).toMatchObject({ status: "used", device: "Safari on iPhone" });
    expect(await waiting.exited).toBe(0);
  },
  COMMANDS_TIMEOUT_MS,
);

test("X-16 links that a device made to pair others end with it: a thief who is thrown out has no way left open", async () => {
  await using server = await startTestServer();
  const [stolen, laptop] = [await signInBrowser(server, PHONE), await signInBrowser(server)];
  const ask = async (device: Record<string, string>, path: string, body?: object): Promise<Response> =>
    fetch(`${server.origin}${path}`, {
      method: "POST",
      headers: { ...device, Origin: server.origin },
      ...(body && { body: JSON.stringify(body) }),
    });
  const linkOf = async (device: Record<string, string>): Promise<string> =>
    (await (await ask(device, "/api/pairing")).json()).links[0];
  const [bad, good] = [await linkOf(stolen), await linkOf(laptop)];
  expect((await fetch(bad)).status).toBe(200);
  expect((await ask(laptop, "/api/devices/revoke", { others: true })).status).toBe(200);
  expect((await fetch(bad)).status).toBe(401);
  expect((await pairBy(server, codeOf(bad))).status).toBe(401);
  expect((await pairBy(server, codeOf(good))).status).toBe(303);
});

test("X-16 revoking closes the device's sockets at once and leaves those of others open", async () => {
  await using server = await startTestServer();
  const [phone, laptop] = [await signIn(server, PHONE), await signInBrowser(server)];
  const open = (headers: Record<string, string>) => {
    const socket: unknown = Reflect.construct(WebSocket, [`ws://127.0.0.1:${server.port}/ws`, { headers }]);
    if (!(socket instanceof WebSocket)) throw new Error("no socket was made");
    const greeted = new Promise<void>((resolve, reject) => {
      socket.addEventListener("message", () => resolve(), { once: true });
      socket.addEventListener("error", () => reject(new Error("the socket was refused")), { once: true });
    });
    const closed = new Promise<void>((resolve) => socket.addEventListener("close", () => resolve(), { once: true }));
    return { socket, greeted, closed };
  };
  const sockets = [open({ Cookie: phone }), open({ Cookie: phone }), open(laptop)] as const;
  await Promise.all(sockets.map(({ greeted }) => greeted));
  const revoke = await fetch(`${server.origin}/api/devices/revoke`, {
    method: "POST",
    headers: { ...laptop, Origin: server.origin },
    body: JSON.stringify({ others: true }),
  });
  expect(await revoke.json()).toEqual({ revoked: [phone.slice(phone.indexOf("=") + 1, phone.indexOf("."))] });
  await Promise.all([sockets[0].closed, sockets[1].closed]);
  expect(sockets[2].socket.readyState).toBe(WebSocket.OPEN);
  const page = await rawHttp(server.port, { path: "/", headers: { Cookie: phone } });
  expect({ status: page.status, says: page.body.includes("not signed in") }).toEqual({ status: 401, says: true });
  const again = await rawHttp(server.port, { path: "/ws", headers: { ...UPGRADE, Cookie: phone } });
  expect(again.status).toBe(401);
  expect((await rawHttp(server.port, { path: "/api/status", headers: laptop })).status).toBe(200);
  sockets[2].socket.close();
});

test("X-16 devices and pairing answer only signed-in clients, and no page of another site", async () => {
  await using server = await startTestServer();
  const [browser, program] = [await signInBrowser(server), await signIn(server)];
  const routes = [
    ["GET", "/api/devices"],
    ["POST", "/api/devices/revoke"],
    ["POST", "/api/pairing"],
    ["GET", "/api/pairing?id=x"],
  ] as const;
  for (const [method, path] of routes) {
    const body = { "Content-Length": "0" };
    const asked = async (headers: Record<string, string>) =>
      (await rawHttp(server.port, { method, path, headers: { ...body, ...headers } })).status;
    expect({ path, status: await asked({}) }).toEqual({ path, status: 401 });
    expect({ path, status: await asked({ ...browser, Origin: "https://evil.example" }) }).toEqual({
      path,
      status: 403,
    });
    // A cookie alone lets nobody else in, a program's neither.
    for (const Cookie of [program, browser.Cookie])
      expect({ path, status: await asked({ Cookie }) }).toEqual({ path, status: 401 });
    expect([200, 201, 400, 404]).toContain(await asked(browser));
  }
  const wrong = [
    "",
    "{",
    "[]",
    "{}",
    '{"id":7}',
    '{"id":""}',
    '{"others":false}',
    '{"id":"x","others":true}',
    JSON.stringify({ id: "x".repeat(2_000) }),
  ];
  for (const body of wrong) {
    const { status } = await server.fetch("/api/devices/revoke", { method: "POST", body, headers: browser });
    expect({ body, status }).toEqual({ body, status: 400 });
  }
  expect(await statusWith(server, program)).toBe(200);
});

test("session fixation: a cookie that was planted is never taken over, by neither way of signing in", async () => {
  await using server = await startTestServer();
  const planted = `liminal-${server.port}=attacker.0123456789abcdef0123456789abcdef`;
  const made = await signIn(server, LAPTOP, planted);
  expect(made).not.toContain("attacker");
  expect(await statusWith(server, planted)).toBe(401);
  // A valid one of the attacker's own, planted in the victim's browser, is worth nothing after the victim signed in.
  const attackers = await signIn(server, PHONE);
  const { value } = await liminalJson(server, ["pair"]);
  const victims = cookieOf((await pairBy(server, codeOf(value.url), { Cookie: attackers })).headers);
  expect(victims).not.toBe(attackers);
  expect(await statusWith(server, attackers)).toBe(401);
  expect(await statusWith(server, victims)).toBe(200);
});

test("signing in again keeps the device; a browser sent by another page stays the one it was", async () => {
  await using server = await startTestServer();
  const first = await signIn(server);
  const second = await signIn(server, LAPTOP, first);
  const idOf = (cookie: string) => cookie.slice(0, cookie.indexOf("."));
  expect(idOf(second)).toBe(idOf(first));
  const sent = await rawHttp(server.port, {
    path: `/?token=${server.token}`,
    headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" },
  });
  expect({ status: sent.status, cookie: sent.headers.get("set-cookie") }).toEqual({ status: 200, cookie: null });
  expect(sent.body).not.toContain(server.token);
  const next = /url=(\/\?code=[\w-]+)"/.exec(sent.body)?.[1] ?? "";
  const step = await rawHttp(server.port, { path: next, headers: { Cookie: second, "User-Agent": LAPTOP } });
  expect({ status: step.status, location: step.headers.get("location") }).toEqual({ status: 302, location: "/" });
  expect(idOf(cookieOf(step.headers))).toBe(idOf(first));
  expect((await rawHttp(server.port, { path: next })).status).toBe(401);
  expect((await liminalJson(server, ["devices"])).value.devices).toHaveLength(1);
});

test("too many wrong tokens get 429 with the time to wait; a right token and a right cookie always pass", async () => {
  await using server = await startTestServer();
  const cookie = await signIn(server);
  const wrong = () => fetch(`${server.origin}/api/status`, { headers: { Authorization: "Bearer wrong" } });
  expect((await wrong()).status).toBe(401);
  // At once, since tries count for a minute.
  const answers = await Promise.all(Array.from({ length: 2 * TRIES_MAX }, wrong));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
  const limited = await wrong();
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await limited.text()).toContain("Too many wrong tokens");
  expect((await server.fetch("/api/status")).status).toBe(200);
  expect(await statusWith(server, cookie)).toBe(200);
  const both = await rawHttp(server.port, { path: "/api/status?token=wrong", headers: { Cookie: cookie } });
  expect(both.status).toBe(200);
  expect((await rawHttp(server.port, { path: "/" })).status).toBe(401);
});

test("a body without a length, or a long one, is not read from a client without access", async () => {
  await using server = await startTestServer();
  const long = await fetch(`${server.origin}/pair`, { method: "POST", body: `code=${"x".repeat(100_000)}` });
  expect(long.status).toBe(401);
  const chunks = new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode("code=x"));
      controller.close();
    },
  });
  const chunked = await fetch(`${server.origin}/pair`, { method: "POST", body: chunks });
  expect(chunked.status).toBe(401);
  expect((await rawHttp(server.port, { path: '/pair?code="><script>alert(1)</script>' })).body).not.toContain(
    "<script>",
  );
});
