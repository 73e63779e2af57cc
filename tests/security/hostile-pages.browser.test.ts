import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { rawHttp, UPGRADE } from "../integration/raw-http.ts";
import { launchChromium } from "../support/chromium.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { ROOT, startTestServer, type TestServer } from "../support/test-server.ts";
import { DEADLINE_MS, waitFor } from "../support/wait-for.ts";

let browser: Browser;
let server: TestServer;
/** A page of somebody else's on another port of this machine: to the browser the same site, so our cookie goes along. */
let neighbour: Bun.Server<undefined>;
const seen: { readonly path: string; readonly headers: Headers }[] = [];

beforeAll(async () => {
  browser = await launchChromium();
  server = await startTestServer();
  neighbour = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      seen.push({ path: new URL(request.url).pathname, headers: request.headers });
      return new Response("<!doctype html><title>Neighbour</title><body>", {
        headers: { "Content-Type": "text/html", "Referrer-Policy": "unsafe-url" },
      });
    },
  });
});
afterAll(async () => {
  await browser.close();
  await neighbour.stop(true);
  await server[Symbol.asyncDispose]();
});

/** A signed-in browser whose user looks at a page of the attacker's, under this name of the machine. */
async function victim(name: string): Promise<AsyncDisposable & { context: BrowserContext; own: Page; evil: Page }> {
  const context = await browser.newContext();
  context.setDefaultTimeout(DEADLINE_MS);
  const own = await context.newPage();
  await own.goto(server.url);
  await own.getByRole("navigation", { name: "Projects" }).waitFor();
  const evil = await context.newPage();
  await evil.goto(`http://${name}:${neighbour.port}/`);
  return { context, own, evil, [Symbol.asyncDispose]: () => context.close() };
}

const NAMES = ["127.0.0.1", "localhost"];

test.each(NAMES)(
  "X-16 a page on another port (%s) reads nothing, posts nothing and opens no socket, signed in or not",
  async (name) => {
    await using scene = await victim(name);
    const { origin } = server;
    const tried = await scene.evil.evaluate(async (target) => {
      const attempt = async (path: string, init: RequestInit) => {
        try {
          const answer = await fetch(target + path, { credentials: "include", ...init });
          return `${answer.type} ${answer.status} ${(await answer.text()).length}`;
        } catch {
          return "blocked";
        }
      };
      const socket = new Promise<string>((resolve) => {
        const line = new WebSocket(`${target.replace("http", "ws")}/ws`);
        line.onopen = () => resolve("open");
        line.onerror = () => resolve("blocked");
      });
      const element = (made: HTMLElement & { src: string }, path: string) =>
        new Promise<string>((resolve) => {
          made.onload = () => resolve("loaded");
          made.onerror = () => resolve("blocked");
          made.src = target + path;
          document.body.append(made);
        });
      const simple = { "Content-Type": "text/plain" };
      return {
        read: await attempt("/api/status", {}),
        quiet: await attempt("/api/status", { mode: "no-cors" }),
        trace: await attempt("/api/trace?sessionId=x", { mode: "no-cors" }),
        simplePost: await attempt("/api/import?projectId=x", {
          method: "POST",
          mode: "no-cors",
          headers: simple,
          body: "{}",
        }),
        tools: await attempt("/mcp", { method: "POST", mode: "no-cors", headers: simple, body: "{}" }),
        withToken: await attempt("/api/status", { headers: { Authorization: "Bearer guess" } }),
        script: await element(document.createElement("script"), "/api/status"),
        image: await element(document.createElement("img"), "/api/status"),
        socket: await socket,
      };
    }, origin);
    const nothing = /^(?:blocked|opaque 0 0)$/;
    for (const [what, result] of Object.entries(tried))
      expect({ what, result: nothing.test(result) || result }).toEqual({ what, result: true });
  },
);

test("X-16 what a neighbour's page asks for with our cookie and no Origin is refused, not merely kept from being read", async () => {
  await using scene = await victim("127.0.0.1");
  const line = await scene.context.newCDPSession(scene.evil);
  await line.send("Network.enable");
  const asked: Record<string, string>[] = [];
  const statuses: number[] = [];
  // The neighbour's page asks its own server for things, too: its icon, for example.
  const atUs = new Set<string>();
  line.on("Network.requestWillBeSentExtraInfo", ({ requestId, headers }) => {
    const { host } = lowerCased(headers);
    if (host !== `127.0.0.1:${server.port}`) return;
    atUs.add(requestId);
    asked.push(lowerCased(headers));
  });
  line.on("Network.responseReceivedExtraInfo", ({ requestId, statusCode }) => {
    if (atUs.has(requestId)) statuses.push(statusCode);
  });
  await scene.evil.evaluate(async (target) => {
    for (const path of ["/api/status", "/healthz", "/portlet"])
      await fetch(target + path, { mode: "no-cors", credentials: "include" }).catch(() => null);
  }, server.origin);
  await waitFor(
    () => statuses,
    ({ length }) => length === 3,
    "three answers",
  );
  expect(statuses).toEqual([403, 403, 403]);
  for (const headers of asked) {
    expect({ site: headers["sec-fetch-site"], origin: headers["origin"] }).toEqual({
      site: "same-site",
      origin: undefined,
    });
    expect(headers["cookie"]).toContain(`liminal-${server.port}=`);
  }
});

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

test("X-16 a form of the neighbour's leads nowhere, and a frame of ours shows nothing inside its page", async () => {
  await using scene = await victim("127.0.0.1");
  await scene.evil.evaluate((target) => {
    const frame = document.createElement("iframe");
    frame.src = `${target}/`;
    document.body.append(frame);
  }, server.origin);
  const framed = await waitFor(
    () => scene.evil.frames()[1],
    (frame) => frame !== undefined && frame.url() !== "",
    "the frame",
  );
  await waitFor(
    () => framed?.url() ?? "",
    (url) => /chrome-error|127\.0\.0\.1/.test(url),
    "the frame to be turned away",
  );
  await expectSoon(async () => framed?.getByRole("navigation", { name: "Projects" }).count()).toBe(0);
  const posted = scene.evil.waitForResponse((response) => response.url().startsWith(`${server.origin}/api/import`));
  await scene.evil.evaluate((target) => {
    const form = document.createElement("form");
    form.method = "post";
    form.enctype = "text/plain";
    form.action = `${target}/api/import?projectId=x`;
    document.body.append(form);
    form.submit();
  }, server.origin);
  expect((await posted).status()).toBe(403);
});

test("X-16 a window that another page opened cannot be spoken to: no handle, no message, no effect", async () => {
  await using scene = await victim("localhost");
  const opened = scene.context.waitForEvent("page");
  await scene.evil.evaluate((target) => {
    Reflect.set(window, "ours", window.open(`${target}/`));
  }, server.origin);
  const ours = await opened;
  await ours.waitForLoadState();
  await ours.evaluate(() => {
    Reflect.set(window, "heard", []);
    addEventListener("message", ({ origin, data }) => Reflect.get(window, "heard").push({ origin, data }));
  });
  const handle = await scene.evil.evaluate(() => {
    const other: Window = Reflect.get(window, "ours");
    other.postMessage({ type: "portlet:show", what: "permissions" }, "*");
    return { closed: other.closed, frames: other.length };
  });
  expect(handle).toEqual({ closed: true, frames: 0 });
  await expectSoon(() => ours.evaluate(() => window.opener)).toBeNull();
  await expectSoon(() => ours.evaluate(() => Reflect.get(window, "heard"))).toEqual([]);
});

test("X-16 the token stays in no history entry, no address, no referrer and no script's reach", async () => {
  await using scene = await victim("127.0.0.1");
  const own = await scene.context.newPage();
  await own.goto(server.url);
  await own.getByRole("navigation", { name: "Projects" }).waitFor();
  expect(own.url()).toBe(`${server.origin}/`);
  const session = await scene.context.newCDPSession(own);
  const { entries } = await session.send("Page.getNavigationHistory");
  expect(entries.map(({ url, title }) => `${url} ${title}`).join()).not.toContain(server.token);
  const known = await own.evaluate(() => [
    document.cookie,
    document.referrer,
    document.documentElement.outerHTML,
    JSON.stringify({ ...localStorage, ...sessionStorage }),
    JSON.stringify(performance.getEntries()),
  ]);
  expect(known.join("\n")).not.toContain(server.token);
  expect(known[0]).toBe("");
  // Where it goes next, nobody learns where it came from.
  await own.goto(`http://localhost:${neighbour.port}/next`);
  const next = seen.find(({ path }) => path === "/next");
  expect(next?.headers.get("referer") ?? null).toBeNull();
  expect(JSON.stringify([...(next?.headers ?? [])])).not.toContain(server.token);
});

/** Every path that the server itself tells apart. */
const ROUTES = [...readFileSync(join(ROOT, "src/bridge/http-server.ts"), "utf8").matchAll(/case "(\/[\w/-]*)":/g)].map(
  ([, path = ""]) => path,
);
/** The same for everyone; they contain nothing of the user's. */
const PLAIN_PAGES = [
  ...["/", "/portlet", "/sign-in", "/pair", "/healthz"],
  // Whoever comes there is no one yet. This server has no such service.
  ...["/sign-in/service", "/sign-in/service/return"],
];

/** As a program would ask, as our page would, and as a browser would that loads a page. */
function guises(cookie: string): readonly Record<string, string>[] {
  const own = { Origin: server.origin, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors" };
  const secret = cookie.slice(cookie.indexOf("=") + 1);
  return [
    { Cookie: cookie },
    { Cookie: cookie, ...own },
    { Cookie: cookie, Accept: "text/html", "Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document" },
    { Cookie: cookie, ...own, "X-Liminal-Key": secret, "Sec-WebSocket-Protocol": `liminal, liminal.key.${secret}` },
  ];
}

test("X-16 (S13) a server on another port gets our cookie, and no route, socket or pairing link is to be had with it", async () => {
  await using scene = await victim("127.0.0.1");
  const [stolen = ""] = seen.flatMap(({ headers }) => headers.get("cookie") ?? []).slice(-1);
  expect(stolen).toContain(`liminal-${server.port}=`);
  const key = await scene.own.evaluate(() => JSON.parse(localStorage.getItem("liminal:page-key") ?? '""'));
  expect(key).toMatch(/^[\w-]{43}$/);
  expect(JSON.stringify(seen.map(({ headers }) => [...headers]))).not.toContain(key);
  const devices = async () => (await (await server.fetch("/api/devices")).json()).devices.map(({ id = "" }) => id);
  const before = await devices();

  expect(ROUTES.filter((path) => path.startsWith("/api/")).length).toBeGreaterThan(10);
  expect(PLAIN_PAGES.filter((path) => !ROUTES.includes(path))).toEqual([]);
  for (const path of ROUTES)
    for (const method of ["GET", "POST", "DELETE"])
      for (const guise of guises(stolen)) {
        const headers = { "Content-Length": "0", ...(path === "/ws" && UPGRADE), ...guise };
        const answer = await rawHttp(server.port, { method, path, headers });
        const got = { path, method, cookie: answer.headers.get("set-cookie"), to: answer.headers.get("location") };
        expect(got).toEqual({ path, method, cookie: null, to: null });
        expect(answer.body).not.toContain(key);
        if (!PLAIN_PAGES.includes(path))
          expect({ path, method, guise, status: answer.status }).toEqual({ path, method, guise, status: 401 });
      }
  await expectSoon(() => devices()).toEqual(before);

  // Ours goes on, and comes back after a reload: its requests and its socket have the key.
  await scene.own.reload();
  await scene.own.getByRole("button", { name: "Settings" }).click();
  await scene.own.getByRole("list", { name: "Signed-in devices" }).getByText("this one").waitFor();
  const download = scene.own.waitForEvent("download");
  await scene.own.getByRole("link", { name: "Export all sessions" }).click();
  expect((await download).suggestedFilename()).toBe("liminal-sessions.tar");
  expect(await (await download).failure()).toBeNull();
});

test("X-16 (S13) a page whose key is gone says how to sign in, and a planted key does not push out the true one", async () => {
  await using scene = await victim("127.0.0.1");
  const { own, evil } = scene;
  const connected = own.getByRole("list", { name: "Signed-in devices" }).getByText("connected now").first();
  await evil.evaluate((target) => location.assign(`${target}/#key=planted`), server.origin);
  await evil.waitForURL(`${server.origin}/`);
  await own.reload();
  await own.getByRole("button", { name: "Settings" }).click();
  await connected.waitFor();

  await own.evaluate(() => localStorage.clear());
  await own.reload();
  await own.getByText("This browser is not signed in").waitFor();
  expect(own.url()).toBe(`${server.origin}/sign-in`);
  await own.goto(server.url);
  expect(own.url()).toBe(`${server.origin}/`);
  await own.getByRole("button", { name: "Settings" }).click();
  await connected.waitFor();
});
