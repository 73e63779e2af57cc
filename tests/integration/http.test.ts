import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT, startTestServer, type TestServer } from "../support/test-server.ts";
import { rawHttp, UPGRADE } from "./raw-http.ts";

const ROUTES = ["/", "/portlet", "/healthz", "/ws", "/api/status", "/assets/nothing.js", "/nowhere"];

async function signIn(server: TestServer): Promise<string> {
  const { status, headers } = await rawHttp(server.port, { path: `/?token=${server.token}` });
  expect(status).toBe(302);
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

test("a foreign Host is turned away on every route before anything else, with a token or without", async () => {
  await using server = await startTestServer();
  const { port, token } = server;
  const foreign = [
    "evil.example",
    `evil.example:${port}`,
    "127.0.0.1",
    `127.0.0.1:${port + 1}`,
    `127.0.0.2:${port}`,
    `localhost.evil.example:${port}`,
    `0.0.0.0:${port}`,
    "",
  ];
  for (const path of ROUTES) {
    for (const host of foreign) {
      for (const credentials of [{}, { Authorization: `Bearer ${token}` }]) {
        const headers = path === "/ws" ? { ...UPGRADE, ...credentials } : credentials;
        const { status } = await rawHttp(port, { path, host, headers });
        expect({ path, host, status }).toEqual({ path, host, status: host === "" ? status : 403 });
        if (host === "") expect([400, 403]).toContain(status);
      }
    }
  }
});

test("a foreign Origin is turned away on every route; a missing one and our own names are not", async () => {
  await using server = await startTestServer();
  const { port, token } = server;
  const foreign = [
    "http://evil.example",
    "null",
    `http://evil.example:${port}`,
    `http://127.0.0.1:${port + 1}`,
    "file://",
    `ftp://127.0.0.1:${port}`,
    "nonsense",
    `http://127.0.0.1:${port}.evil.example`,
    `chrome-extension://127.0.0.1:${port}`,
  ];
  const ours = ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"].map((name) => `${name}:${port}`);
  const authorized = { Authorization: `Bearer ${token}` };
  for (const path of ROUTES) {
    const upgrade = path === "/ws" ? UPGRADE : {};
    for (const origin of foreign) {
      const { status } = await rawHttp(port, { path, headers: { ...authorized, ...upgrade, Origin: origin } });
      expect({ path, origin, status }).toEqual({ path, origin, status: 403 });
    }
    for (const host of ours) {
      for (const origin of [{}, { Origin: `http://${host}` }, { Origin: `http://127.0.0.1:${port}` }]) {
        const { status } = await rawHttp(port, { path, host, headers: { ...authorized, ...upgrade, ...origin } });
        expect({ path, host, isForeign: status === 403 }).toEqual({ path, host, isForeign: false });
      }
    }
  }
});

test("without credentials: health and assets answer, the rest is 401, and the page explains how to sign in", async () => {
  await using server = await startTestServer();
  const { port } = server;
  const wrong = [
    {},
    { Authorization: "Bearer wrong" },
    { Authorization: `Basic ${server.token}` },
    { Authorization: "Bearer" },
    { Cookie: `liminal-${port}=wrong` },
    { Cookie: `liminal-${port}=${server.token}` },
    { Cookie: `liminal-${port}=id.` },
    { Cookie: `liminal-${port}=.${server.token}` },
  ];
  for (const headers of wrong) {
    const statusOf = async (path: string) =>
      (await rawHttp(port, { path, headers: path.startsWith("/ws") ? { ...UPGRADE, ...headers } : headers })).status;
    expect(await statusOf("/healthz")).toBe(200);
    expect(await statusOf("/assets/nothing.js")).toBe(404);
    for (const path of [
      "/",
      "/portlet",
      "/api/status",
      "/ws",
      "/?token=",
      "/?token=wrong",
      "/ws?token=wrong",
      "/api/status?token=wrong",
    ])
      expect({ path, headers, status: await statusOf(path) }).toEqual({ path, headers, status: 401 });
  }
  const page = await rawHttp(port, { path: "/" });
  expect(page.headers.get("content-type")).toContain("text/html");
  expect(page.body).toContain("not signed in");
  expect(page.body).not.toContain(server.token);
  expect(page.headers.get("set-cookie")).toBeNull();
});

test("?token= sets a cookie of its own and redirects without it; the cookie then opens every route", async () => {
  await using server = await startTestServer();
  const { port, token } = server;
  const answer = await rawHttp(port, { path: `/?token=${token}&more=1` });
  expect({ status: answer.status, location: answer.headers.get("location") }).toEqual({ status: 302, location: "/" });
  const cookie = answer.headers.get("set-cookie") ?? "";
  expect(cookie.startsWith(`liminal-${port}=`)).toBe(true);
  expect(cookie).toContain("HttpOnly");
  expect(cookie).toContain("SameSite=Strict");
  expect(cookie).toContain("Path=/");
  expect(cookie).not.toContain(token);
  expect(answer.body).not.toContain(token);
  expect(answer.headers.get("cache-control")).toBe("no-store");

  const Cookie = await signIn(server);
  expect(Cookie).not.toBe(cookie.split(";")[0] ?? "");
  for (const headers of [{ Cookie }, { Cookie: `other=1; ${Cookie}; more=2` }]) {
    expect((await rawHttp(port, { path: "/api/status", headers })).status).toBe(200);
    expect((await rawHttp(port, { path: "/ws", headers: { ...headers, ...UPGRADE } })).status).toBe(101);
    expect([200, 404]).toContain((await rawHttp(port, { path: "/", headers })).status);
  }
  for (const path of [`/ws?token=${token}`, `/api/status?token=${token}`])
    expect([101, 200]).toContain(
      (await rawHttp(port, { path, headers: path.startsWith("/ws") ? UPGRADE : {} })).status,
    );
  expect((await rawHttp(port, { path: "/ws", headers: { Cookie } })).status).toBe(426);

  await server.stop();
  await server.start();
  expect(server.port).toBe(port);
  expect((await rawHttp(port, { path: "/api/status", headers: { Cookie } })).status).toBe(200);
});

test("a cookie is worth nothing once the token has changed, nor when it is altered", async () => {
  await using server = await startTestServer();
  const Cookie = await signIn(server);
  const altered = `${Cookie.slice(0, -2)}${Cookie.endsWith("AA") ? "BB" : "AA"}`;
  expect((await rawHttp(server.port, { path: "/api/status", headers: { Cookie: altered } })).status).toBe(401);
  await server.stop();
  await Bun.write(join(server.dataDir, "token"), "another-token-of-enough-letters\n");
  await server.start();
  expect(server.token).toBe("another-token-of-enough-letters");
  expect((await rawHttp(server.port, { path: "/api/status", headers: { Cookie } })).status).toBe(401);
});

test("nothing but names of the build is served under /assets/, whatever the path tries", async () => {
  await using server = await startTestServer();
  const { port, token } = server;
  const tricks = [
    "/assets/../package.json",
    "/assets/..%2fpackage.json",
    "/assets/%2e%2e/package.json",
    "/assets/....//package.json",
    "/assets//etc/passwd",
    "/assets/%2fetc%2fpasswd",
    "/assets/..\\package.json",
    "/assets/%00",
    "/assets/",
    "/assets",
    "/assets/manifest.json",
    "/assets/__proto__",
    "/assets/constructor",
    "/assets/%",
    "/assets/%ff",
  ];
  for (const path of tricks) {
    const { status, body } = await rawHttp(port, { path, headers: { Authorization: `Bearer ${token}` } });
    expect({ path, isFound: status === 200 }).toEqual({ path, isFound: false });
    expect(body).not.toContain("liminal-builder");
    expect(body).not.toContain("root:");
  }
});

test("the built assets are served immutable and compressed where that is taken", async () => {
  await using server = await startTestServer();
  const manifest: { assets: Record<string, { file: string; type: string }> } = JSON.parse(
    await readFile(join(ROOT, "dist/manifest.json"), "utf8"),
  );
  const assets = Object.values(manifest.assets);
  expect(assets.length).toBeGreaterThan(0);
  for (const { file, type } of assets) {
    const plain = await server.fetch(`/${file}`, { headers: { "Accept-Encoding": "identity" } });
    expect({ file, status: plain.status, type: plain.headers.get("content-type") }).toEqual({
      file,
      status: 200,
      type,
    });
    expect(plain.headers.get("cache-control")).toContain("immutable");
    const small = await server.fetch(`/${file}`, { headers: { "Accept-Encoding": "br" } });
    expect({ file, encoding: small.headers.get("content-encoding") }).toEqual({ file, encoding: "br" });
    expect(await small.text()).toBe(await plain.text());
  }
});

test("methods that no route has are refused, and the server keeps running", async () => {
  await using server = await startTestServer();
  const { port, token } = server;
  const headers = { Authorization: `Bearer ${token}` };
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "NONSENSE"]) {
    for (const path of ["/", "/portlet", "/healthz", "/api/status", "/assets/nothing.js"]) {
      const { status } = await rawHttp(port, { method, path, headers: { ...headers, "Content-Length": "0" } });
      expect([0, 400, 405, 501]).toContain(status);
    }
  }
  const head = await rawHttp(port, { method: "HEAD", path: "/healthz" });
  expect({ status: head.status, body: head.body }).toEqual({ status: 200, body: "" });
  const health = await rawHttp(port, { path: "/healthz" });
  expect(JSON.parse(health.body)).toMatchObject({ status: "ok", version: expect.any(String) });
});

test("every answer carries the security headers, and no answer lets another site read or frame it", async () => {
  await using server = await startTestServer();
  const { port, token } = server;
  for (const path of ROUTES.filter((route) => route !== "/ws")) {
    for (const credentials of [{}, { Authorization: `Bearer ${token}` }, { Origin: "http://evil.example" }]) {
      const { headers, status } = await rawHttp(port, { path, headers: credentials });
      const policy = headers.get("content-security-policy") ?? "";
      for (const directive of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'self'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
      ])
        expect(policy).toContain(directive);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      // The form of the sign-in page has to name its own origin, which "no-referrer" leaves out.
      const isSignIn = status === 401 && headers.get("content-type")?.startsWith("text/html") === true;
      expect(headers.get("referrer-policy")).toBe(isSignIn ? "same-origin" : "no-referrer");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  }
});

test("the token is printed once, on stdout, and is in no log and no file but its own", async () => {
  await using server = await startTestServer();
  const { token, port } = server;
  await rawHttp(port, { path: `/?token=${token}` });
  await rawHttp(port, { path: "/ws?token=wrong", headers: UPGRADE });
  await server.stop();
  expect(server.log).not.toContain(token);
  const note = Bun.file(join(server.dataDir, "server.json"));
  expect((await note.exists()) ? await note.text() : "").not.toContain(token);
});
