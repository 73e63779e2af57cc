import { describe, expect, it } from "bun:test";
import { AccessControl } from "./access-control.ts";

const TOKEN = "correct-horse";

function accessOf(options: { port?: number; host?: string; token?: string } = {}): AccessControl {
  let ids = 0;
  return new AccessControl({
    token: options.token ?? TOKEN,
    port: options.port ?? 3000,
    host: options.host ?? "127.0.0.1",
    newId: () => `browser-${++ids}`,
  });
}

function request(headers: Readonly<Record<string, string>>, url = "http://127.0.0.1:3000/ws"): [Request, URL] {
  return [new Request(url, { headers }), new URL(url)];
}

function isForeign(access: AccessControl, headers: Readonly<Record<string, string>>): boolean {
  return access.isForeign(request(headers)[0]);
}

/** The cookie as a browser would send it back. */
function cookieOf(access: AccessControl): string {
  return access.newCookie().split(";")[0] ?? "";
}

describe("AccessControl: whose page", () => {
  const OWN = ["127.0.0.1:3000", "localhost:3000", "LOCALHOST:3000", "[::1]:3000"];
  const STRANGE = [
    "evil.example:3000",
    "evil.example",
    "127.0.0.1",
    "localhost",
    "127.0.0.1:3001",
    "127.0.0.1.evil.example:3000",
    "localhost.:3000",
    "0.0.0.0:3000",
    "192.168.1.2:3000",
    "::1:3000",
    "",
  ];

  it.each(OWN)("Host %s is ours", (host) => {
    expect(isForeign(accessOf(), { host })).toBe(false);
  });

  it.each(STRANGE)("Host %s is foreign, also with our own Origin: a name rebound to our address", (host) => {
    expect(isForeign(accessOf(), { host })).toBe(true);
    expect(isForeign(accessOf(), { host, origin: "http://127.0.0.1:3000" })).toBe(true);
  });

  it.each(["http://127.0.0.1:3000", "http://localhost:3000", "http://[::1]:3000", "https://localhost:3000"])(
    "Origin %s is ours, whichever of our names the Host has",
    (origin) => {
      for (const host of OWN) expect(isForeign(accessOf(), { host, origin })).toBe(false);
    },
  );

  it.each([
    "null",
    "",
    "http://evil.example",
    "http://evil.example:3000",
    "http://localhost:3001",
    "http://localhost",
    "http://127.0.0.1:3000.evil.example",
    "http://127.0.0.1:3000@evil.example",
    "file://127.0.0.1:3000",
    "chrome-extension://127.0.0.1:3000",
    "not an origin",
  ])("Origin %s is foreign", (origin) => {
    expect(isForeign(accessOf(), { host: "127.0.0.1:3000", origin })).toBe(true);
  });

  it("a configured name is ours as well, and only that one", () => {
    const named = accessOf({ host: "build.example", port: 8080 });
    expect(isForeign(named, { host: "Build.example:8080", origin: "http://build.example:8080" })).toBe(false);
    expect(isForeign(named, { host: "localhost:8080" })).toBe(false);
    expect(isForeign(named, { host: "other.example:8080" })).toBe(true);
    const ipv6 = accessOf({ host: "fd00::1" });
    expect(isForeign(ipv6, { host: "[fd00::1]:3000", origin: "http://[fd00::1]:3000" })).toBe(false);
  });

  it("on port 80 the port may be missing, as browsers leave it out", () => {
    const plain = accessOf({ port: 80 });
    expect(isForeign(plain, { host: "localhost", origin: "http://localhost" })).toBe(false);
    expect(isForeign(plain, { host: "localhost:80" })).toBe(false);
    expect(isForeign(plain, { host: "evil.example", origin: "http://localhost" })).toBe(true);
    expect(isForeign(plain, { host: "localhost", origin: "http://evil.example" })).toBe(true);
  });
});

describe("AccessControl: who", () => {
  const address = (query: string) => request({}, `http://127.0.0.1:3000/ws${query}`);

  it.each([
    ["a bearer token", request({ authorization: `Bearer ${TOKEN}` })],
    ["a bearer token in another case", request({ authorization: `bearer ${TOKEN}` })],
    ["the token in the address", address(`?token=${TOKEN}`)],
  ])("%s lets in", (_, asked) => {
    expect(accessOf().isAuthorized(...asked)).toBe(true);
  });

  it.each([
    ["nothing", request({})],
    ["an empty token", address("?token=")],
    ["a wrong token", address("?token=wrong")],
    ["part of the token", address(`?token=${TOKEN.slice(0, -1)}`)],
    ["the token and more", address(`?token=${TOKEN}x`)],
    ["the token under another name", address(`?key=${TOKEN}`)],
    ["a wrong bearer", request({ authorization: "Bearer wrong" })],
    ["an empty bearer", request({ authorization: "Bearer " })],
    ["another scheme", request({ authorization: `Basic ${TOKEN}` })],
    ["the bare token as authorization", request({ authorization: TOKEN })],
    ["the token as the cookie", request({ cookie: `liminal-3000=${TOKEN}` })],
  ])("%s does not", (_, asked) => {
    expect(accessOf().isAuthorized(...asked)).toBe(false);
  });

  it("an empty token of our own lets nobody in", () => {
    const open = accessOf({ token: "" });
    expect(open.isAuthorized(...address("?token="))).toBe(false);
    expect(open.isToken("")).toBe(false);
  });

  it("a browser gets a session of its own, not the token, and only its server sees it", () => {
    const access = accessOf();
    const cookie = access.newCookie();
    expect(cookie).toMatch(/^liminal-3000=browser-1\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(cookie).not.toContain(TOKEN);
    expect(cookieOf(access)).not.toBe(cookieOf(access));
  });

  it("the cookie lets in, among others too, and over a restart with the same token", () => {
    const cookie = cookieOf(accessOf());
    expect(accessOf().isAuthorized(...request({ cookie }))).toBe(true);
    expect(accessOf().isAuthorized(...request({ cookie: `theme=dark; ${cookie}; liminal-30=x` }))).toBe(true);
  });

  it.each([
    ["one whose id was changed", (cookie: string) => cookie.replace("browser-1", "browser-2")],
    [
      "one whose signature was changed",
      (cookie: string) => `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}`,
    ],
    ["one that was cut short", (cookie: string) => cookie.slice(0, -1)],
    ["one without its signature", (cookie: string) => cookie.slice(0, cookie.indexOf("."))],
    ["one without its id", (cookie: string) => cookie.replace("browser-1", "")],
    ["an empty one", () => "liminal-3000="],
    ["one of a server on another port", (cookie: string) => cookie.replace("liminal-3000", "liminal-3001")],
    ["one whose name only ends like ours", (cookie: string) => `x${cookie}`],
  ])("%s does not let in", (_, change) => {
    const access = accessOf();
    expect(access.isAuthorized(...request({ cookie: change(cookieOf(access)) }))).toBe(false);
  });

  it("one that was made for another token is worthless", () => {
    const cookie = cookieOf(accessOf({ token: "yesterday's" }));
    expect(accessOf().isAuthorized(...request({ cookie }))).toBe(false);
  });
});
