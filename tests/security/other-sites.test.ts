import { afterAll, beforeAll, expect, test } from "bun:test";
import { rawHttp, UPGRADE } from "../integration/raw-http.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let cookie = "";
beforeAll(async () => {
  server = await startTestServer();
  const { headers } = await rawHttp(server.port, { path: `/?token=${server.token}` });
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
});
afterAll(() => server[Symbol.asyncDispose]());

const PROTECTED = ["/", "/portlet", "/ws", "/mcp", "/api/status", "/api/trace?sessionId=x", "/api/export?format=md"];

/** Every name by which a rebound address, an odd spelling or a game with the port could pass for ours. */
const FOREIGN_HOSTS: readonly ((port: number) => string)[] = [
  (port) => `evil.example:${port}`,
  (port) => `127.0.0.1.evil.example:${port}`,
  (port) => `127-0-0-1.rebind.example:${port}`,
  (port) => `localhost.evil.example:${port}`,
  (port) => `localhost.:${port}`,
  (port) => `127.0.0.1.:${port}`,
  (port) => `127.1:${port}`,
  (port) => `2130706433:${port}`,
  (port) => `0x7f000001:${port}`,
  (port) => `0177.0.0.1:${port}`,
  (port) => `0.0.0.0:${port}`,
  (port) => `127.0.0.2:${port}`,
  (port) => `[::]:${port}`,
  (port) => `[0:0:0:0:0:0:0:1]:${port}`,
  (port) => `[::ffff:127.0.0.1]:${port}`,
  (port) => `[::1%25lo]:${port}`,
  (port) => `[::1].:${port}`,
  (port) => `::1:${port}`,
  (port) => `a@127.0.0.1:${port}`,
  (port) => `127.0.0.1:${port}@evil.example`,
  (port) => `127.0.0.1:0${port}`,
  (port) => `127.0.0.1:${port + 65_536}`,
  (port) => `127.0.0.1:+${port}`,
  (port) => `127.0.0.1:${port}, evil.example`,
  (port) => `evil.example, 127.0.0.1:${port}`,
  (port) => `127.0.0.1:${port}/`,
  () => "127.0.0.1",
  () => "127.0.0.1:",
  () => "localhost",
];

test("a rebound name is turned away on every route in every spelling, with the token and the cookie", async () => {
  for (const path of PROTECTED)
    for (const hostOf of FOREIGN_HOSTS) {
      const host = hostOf(server.port);
      const headers = { Cookie: cookie, Authorization: `Bearer ${server.token}`, ...(path === "/ws" && UPGRADE) };
      const { status, body } = await rawHttp(server.port, { path, host, headers });
      expect({ path, host, isTurnedAway: status === 403 || status === 400 }).toEqual({
        path,
        host,
        isTurnedAway: true,
      });
      expect(body).not.toContain(server.token);
    }
});

test("headers that speak for a proxy change nothing about who we are", async () => {
  const claims = {
    "X-Forwarded-Host": `127.0.0.1:${server.port}`,
    Forwarded: `host=127.0.0.1:${server.port}`,
    "X-Original-Host": `127.0.0.1:${server.port}`,
    "X-Forwarded-For": "127.0.0.1",
  };
  const headers = { ...claims, Authorization: `Bearer ${server.token}` };
  expect((await rawHttp(server.port, { path: "/api/status", host: "evil.example", headers })).status).toBe(403);
  expect((await rawHttp(server.port, { path: "/api/status", headers: claims })).status).toBe(401);
});

/** What a browser says of itself; a page cannot change it. */
const ASKED_BY_OTHERS: readonly Readonly<Record<string, string>>[] = [
  { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" },
  { "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script" },
  { "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "empty" },
  { "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" },
  { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "object" },
  { "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "websocket", "Sec-Fetch-Dest": "websocket" },
  { "Sec-Fetch-Site": "nonsense", "Sec-Fetch-Mode": "cors" },
];

test("what another page makes the browser ask is turned away by Sec-Fetch-Site, cookie or not, Origin or not", async () => {
  for (const path of [...PROTECTED, "/assets/nothing.js", "/healthz"])
    for (const metadata of ASKED_BY_OTHERS) {
      const headers = { Cookie: cookie, ...metadata, ...(path === "/ws" && UPGRADE) };
      const { status } = await rawHttp(server.port, { path, headers });
      expect({ path, metadata, status }).toEqual({ path, metadata, status: 403 });
    }
});

test("a link may lead to the page, but to no answer of the programs' interface, and by GET alone", async () => {
  const visit = { Cookie: cookie, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  for (const site of ["cross-site", "same-site"]) {
    const headers = { ...visit, "Sec-Fetch-Site": site };
    expect((await rawHttp(server.port, { path: "/", headers })).status).toBe(200);
    for (const path of ["/api/status", "/api/trace?sessionId=x", "/api/export?format=md", "/portlet", "/mcp"])
      expect({ path, status: (await rawHttp(server.port, { path, headers })).status }).toEqual({ path, status: 403 });
    expect((await rawHttp(server.port, { method: "POST", path: "/", headers })).status).toBe(403);
  }
  for (const site of ["same-origin", "none"])
    expect(
      (await rawHttp(server.port, { path: "/api/status", headers: { ...visit, "Sec-Fetch-Site": site } })).status,
    ).toBe(200);
});

test("a form of another site posts nothing: simple POSTs with the cookie are turned away before their body is read", async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
    for (const path of ["/api/import?projectId=x", "/mcp"])
      for (const origin of ["http://evil.example", "null", `http://127.0.0.1:${server.port + 1}`]) {
        const headers = { Cookie: cookie, Origin: origin, "Content-Type": type, "Content-Length": "0" };
        const { status } = await rawHttp(server.port, { method: "POST", path, headers });
        expect({ path, type, origin, status }).toEqual({ path, type, origin, status: 403 });
      }
});

test("no answer gives another site leave: no CORS header on a preflight, nor on anything else", async () => {
  for (const path of PROTECTED) {
    const headers = {
      Origin: "http://evil.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "authorization",
    };
    const { status, headers: answer } = await rawHttp(server.port, { method: "OPTIONS", path, headers });
    expect(status).toBe(403);
    expect([...answer.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
});

test("what a request says never becomes a header of the answer: CR and LF in path, query, cookie and names", async () => {
  const injected = "%0d%0aSet-Cookie:%20owned=1%0d%0aX-Owned:%201";
  for (const path of [
    `/${injected}`,
    `/assets/${injected}`,
    `/?token=${server.token}&next=${injected}`,
    `/?token=${injected}`,
    `/api/export?sessionId=${injected}&format=md`,
    `/api/export?format=${injected}`,
    `//evil.example/${injected}`,
  ]) {
    const { headers } = await rawHttp(server.port, { path, headers: { Authorization: `Bearer ${server.token}` } });
    expect({ path, owned: headers.get("x-owned") }).toEqual({ path, owned: null });
    expect(headers.get("set-cookie") ?? "").not.toContain("owned");
    expect(["/", null]).toContain(headers.get("location"));
  }
});
