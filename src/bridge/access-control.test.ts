import { describe, expect, it } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { BadTokenLimit } from "../access/bad-token-limit.ts";
import { Devices } from "../access/devices.ts";
import { TICKET_TTL_MS } from "../access/download-tickets.ts";
import { Pairing } from "../access/pairing.ts";
import { keyedHash } from "../access/secrets.ts";
import { MIGRATIONS } from "../store/migrations.ts";
import { SqliteDeviceStore } from "../store/sqlite-device-store.ts";
import { AccessControl } from "./access-control.ts";
import { OwnHosts } from "./own-hosts.ts";

const TOKEN = "correct-horse";

interface SceneOptions {
  readonly port?: number;
  readonly host?: string;
  readonly token?: string;
  readonly isTls?: boolean;
  readonly names?: readonly string[];
  readonly allowed?: readonly string[];
  readonly db?: DatabaseSync;
  readonly monotonicMs?: () => number;
}

function failed(error: unknown): never {
  throw error;
}

function newDatabase(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  for (const step of MIGRATIONS) db.exec(step);
  return db;
}

function accessOf(options: SceneOptions = {}): AccessControl {
  const { port = 3000, host = "127.0.0.1", token = TOKEN, isTls = false, names = [], allowed = [] } = options;
  const world = { now: () => 0, newId: () => crypto.randomUUID() };
  const newSecret = () => crypto.randomUUID();
  const store = new SqliteDeviceStore(options.db ?? newDatabase());
  return new AccessControl({
    commandToken: null,
    token,
    port,
    isTls,
    hosts: new OwnHosts({ host, port, isTls, names, allowed }),
    devices: new Devices({ store, token, world, newSecret, onUnstored: failed }),
    pairing: new Pairing({ world, monotonicMs: () => 0, newSecret, isSignedIn: () => true }),
    badTokens: new BadTokenLimit(world.now),
    monotonicMs: options.monotonicMs ?? (() => 0),
    newSecret,
  });
}

function request(headers: Readonly<Record<string, string>>, url = "http://127.0.0.1:3000/ws"): [Request, URL] {
  return [new Request(url, { headers }), new URL(url)];
}

function isForeign(access: AccessControl, headers: Readonly<Record<string, string>>): boolean {
  return access.isForeign(request(headers)[0]);
}

function isLetIn(access: AccessControl, asked: [Request, URL]): boolean {
  return access.callerOf(...asked) !== null;
}

/** The cookie as a browser would send it back. */
function cookieOf(access: AccessControl, headers: Readonly<Record<string, string>> = {}): string {
  return access.signIn(request(headers)[0]).cookie.split(";")[0] ?? "";
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

  it("X-16 on port 443 with TLS the port may be missing, and only https is ours", () => {
    const secure = accessOf({ port: 443, isTls: true });
    expect(isForeign(secure, { host: "localhost", origin: "https://localhost" })).toBe(false);
    expect(isForeign(secure, { host: "localhost", origin: "http://localhost" })).toBe(true);
    expect(isForeign(accessOf({ isTls: true }), { host: "localhost:3000", origin: "http://localhost:3000" })).toBe(
      true,
    );
  });

  it("X-16 on every address, each plain address is ours, and names only when they are the machine's", () => {
    const all = accessOf({ host: "0.0.0.0", names: ["box", "box.local"] });
    for (const host of ["192.168.1.2:3000", "[fd00::1]:3000", "box:3000", "box.local:3000", "localhost:3000"])
      expect({ host, foreign: isForeign(all, { host, origin: `http://${host}` }) }).toEqual({ host, foreign: false });
    for (const host of [
      "192.168.1.2",
      "192.168.1.2:3001",
      "evil.example:3000",
      "box.evil.example:3000",
      "1.2.3:3000",
      "[box]:3000",
      "192.168.1.2.evil.example:3000",
    ])
      expect({ host, foreign: isForeign(all, { host }) }).toEqual({ host, foreign: true });
  });

  it("X-16 a page of another machine is foreign, though its address is a plain one, too", () => {
    const all = accessOf({ host: "0.0.0.0" });
    expect(isForeign(all, { host: "192.168.1.2:3000", origin: "http://192.168.1.66:3000" })).toBe(true);
    expect(isForeign(all, { host: "192.168.1.2:3000", origin: "http://192.168.1.2:3001" })).toBe(true);
  });

  it("X-16 names that the user allows are ours, with the port they say or with ours and none", () => {
    const proxied = accessOf({ allowed: ["build.example", "box.example:8443"] });
    for (const host of ["build.example", "build.example:3000", "box.example:8443"])
      expect(isForeign(proxied, { host, origin: `https://${host}` })).toBe(false);
    for (const host of ["build.example:8443", "box.example", "box.example:3000", "evil.example"])
      expect({ host, foreign: isForeign(proxied, { host }) }).toEqual({ host, foreign: true });
  });
});

describe("AccessControl: who", () => {
  const address = (query: string) => request({}, `http://127.0.0.1:3000/ws${query}`);

  it.each([
    ["a bearer token", request({ authorization: `Bearer ${TOKEN}` })],
    ["a bearer token in another case", request({ authorization: `bearer ${TOKEN}` })],
    ["the token in the address", address(`?token=${TOKEN}`)],
  ])("%s lets in", (_, asked) => {
    expect(isLetIn(accessOf(), asked)).toBe(true);
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
    expect(isLetIn(accessOf(), asked)).toBe(false);
  });

  it("an empty token of our own lets nobody in", () => {
    const open = accessOf({ token: "" });
    expect(isLetIn(open, address("?token="))).toBe(false);
    expect(open.isToken("")).toBe(false);
  });

  it("a browser gets a session of its own, not the token, and only its server sees it", () => {
    const access = accessOf();
    const { cookie } = access.signIn(request({ accept: "text/html" })[0]);
    expect(cookie).toMatch(/^liminal-3000=[0-9a-f]{12}\.[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(cookie).not.toContain(TOKEN);
    expect(cookieOf(access)).not.toBe(cookieOf(access));
  });

  it("X-16 with TLS, ours or that of a proxy in front, the cookie travels over TLS only", () => {
    expect(accessOf({ isTls: true }).signIn(request({})[0]).cookie).toEndWith("; Secure");
    expect(accessOf().signIn(request({ "x-forwarded-proto": "https" })[0]).cookie).toEndWith("; Secure");
    expect(accessOf({ isTls: true }).signIn(request({ "x-forwarded-proto": "http" })[0]).cookie).toEndWith("; Secure");
  });

  it("the cookie lets in, among others too, and over a restart with the same token", () => {
    const db = newDatabase();
    const cookie = cookieOf(accessOf({ db }));
    expect(isLetIn(accessOf({ db }), request({ cookie }))).toBe(true);
    expect(isLetIn(accessOf({ db }), request({ cookie: `theme=dark; ${cookie}; liminal-30=x` }))).toBe(true);
    expect(isLetIn(accessOf({ db, token: "today's" }), request({ cookie }))).toBe(false);
  });

  it.each([
    ["one whose id was changed", (cookie: string) => cookie.replace("=", "=0")],
    ["one whose secret was changed", (cookie: string) => `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}`],
    ["one that was cut short", (cookie: string) => cookie.slice(0, -1)],
    ["one without its secret", (cookie: string) => cookie.slice(0, cookie.indexOf("."))],
    ["one without its id", (cookie: string) => cookie.replace(/=\w+/, "=")],
    ["an empty one", () => "liminal-3000="],
    ["one of a server on another port", (cookie: string) => cookie.replace("liminal-3000", "liminal-3001")],
    ["one whose name only ends like ours", (cookie: string) => `x${cookie}`],
  ])("%s does not let in", (_, change) => {
    const access = accessOf();
    expect(isLetIn(access, request({ cookie: change(cookieOf(access)) }))).toBe(false);
  });

  it("fixation: a cookie that somebody planted is replaced on signing in, and worth nothing then", () => {
    const access = accessOf();
    const made = cookieOf(access, { cookie: "liminal-3000=attacker.chosen" });
    expect(made).not.toContain("attacker");
    const planted = cookieOf(access);
    const own = cookieOf(access, { cookie: planted });
    expect(own).not.toBe(planted);
    expect(isLetIn(access, request({ cookie: planted }))).toBe(false);
    expect(isLetIn(access, request({ cookie: own }))).toBe(true);
  });

  it("a cookie of the older form lets in nowhere", () => {
    const access = accessOf();
    const cookie = `liminal-3000=b-1.${keyedHash(TOKEN, "browser:b-1")}`;
    expect(isLetIn(access, request({ cookie }))).toBe(false);
    expect(access.mayLoadPage(...request({ cookie }))).toBe(false);
  });

  describe("(S13) a browser shows a page key beside its cookie", () => {
    const NAVIGATION = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const asProtocol = (key: string) => ({ "sec-websocket-protocol": `liminal, liminal.key.${key}` });

    function browserOf(access: AccessControl) {
      const { cookie, pageKey } = access.signIn(request(NAVIGATION)[0]);
      if (pageKey === null) throw new Error("a browser gets a page key");
      return { cookie: cookie.split(";")[0] ?? "", key: pageKey };
    }

    it("with it, in a header or as the name of a subprotocol, it is let in and may let others in", () => {
      const access = accessOf();
      const { cookie, key } = browserOf(access);
      for (const shown of [{ "x-liminal-key": key }, asProtocol(key)])
        expect(access.callerOf(...request({ cookie, ...shown }))).toMatchObject({ kind: "device", hasPageKey: true });
    });

    it.each<
      [
        string,
        (own: { cookie: string; key: string }, others: { cookie: string; key: string }) => Record<string, string>,
      ]
    >([
      ["the cookie alone", ({ cookie }) => ({ cookie })],
      [
        "the cookie as a browser's own page would send it",
        ({ cookie }) => ({ cookie, ...NAVIGATION, "sec-fetch-site": "same-origin", origin: "http://127.0.0.1:3000" }),
      ],
      ["an empty key", ({ cookie }) => ({ cookie, "x-liminal-key": "" })],
      ["an empty key as protocol", ({ cookie }) => ({ cookie, ...asProtocol("") })],
      ["the cookie as the key", ({ cookie }) => ({ cookie, "x-liminal-key": cookie.slice(cookie.indexOf("=") + 1) })],
      ["the key of another browser", ({ cookie }, { key }) => ({ cookie, "x-liminal-key": key })],
      ["the key without the cookie", ({ key }) => ({ "x-liminal-key": key })],
      ["the key as a cookie of its own", ({ cookie, key }) => ({ cookie: `${cookie}; liminal-key=${key}` })],
      ["the key as a bearer", ({ cookie, key }) => ({ cookie, authorization: `Bearer ${key}` })],
      ["the key without its last letter", ({ cookie, key }) => ({ cookie, "x-liminal-key": key.slice(0, -1) })],
    ])("%s lets nobody in", (_, headersOf) => {
      const access = accessOf();
      const headers = headersOf(browserOf(access), browserOf(access));
      expect(isLetIn(access, request(headers))).toBe(false);
    });

    it("signing in again makes the old key worthless", () => {
      const access = accessOf();
      const { cookie, key } = browserOf(access);
      const again = access.signIn(request({ ...NAVIGATION, cookie })[0]);
      const shown = { cookie: again.cookie.split(";")[0] ?? "" };
      expect(isLetIn(access, request({ ...shown, "x-liminal-key": key }))).toBe(false);
      expect(isLetIn(access, request({ ...shown, "x-liminal-key": again.pageKey ?? "" }))).toBe(true);
    });

    it("a browser that signed in before there were keys loads the page, and nothing else, until it signs in again", () => {
      const access = accessOf();
      const cookie = `liminal-3000=${access.devices.signIn("Chrome on Linux", null)}`;
      expect(isLetIn(access, request({ cookie }))).toBe(false);
      expect(access.mayLoadPage(...request({ cookie, "sec-fetch-dest": "document" }))).toBe(true);
      // So that a page that was open during the update finds out that it is signed out.
      expect(access.mayLoadPage(...request({ cookie, "sec-fetch-dest": "empty" }))).toBe(false);
    });

    it("a ticket opens one address once, for the device that asked and for a minute", () => {
      const clock = { now: 0 };
      const access = accessOf({ monotonicMs: () => clock.now });
      const [own, other] = [browserOf(access), browserOf(access)];
      const path = "/api/export?sessionId=builtin%3A1&format=md";
      const redeem = (headers: Record<string, string>, address: string, method = "GET") => {
        const url = new URL(address, "http://127.0.0.1:3000");
        return access.redeemTicket(new Request(url, { headers, method }), url);
      };
      const issue = () => {
        const caller = access.callerOf(...request({ cookie: own.cookie, "x-liminal-key": own.key }));
        return caller?.kind === "device" ? access.issueTicket(caller.id, path) : "";
      };
      const { cookie } = own;
      const ticket = issue();
      expect(redeem({ cookie }, `${path}&ticket=${ticket}`, "POST")).toBe(false);
      expect(redeem({ cookie }, `${path}&ticket=${ticket}`)).toBe(true);
      expect(redeem({ cookie }, `${path}&ticket=${ticket}`)).toBe(false);
      expect(redeem({ cookie }, path)).toBe(false);
      expect(redeem({ cookie }, `${path}&ticket=`)).toBe(false);
      expect(redeem({}, `${path}&ticket=${issue()}`)).toBe(false);
      expect(redeem({ cookie: other.cookie }, `${path}&ticket=${issue()}`)).toBe(false);
      expect(redeem({ cookie }, `/api/export-all?ticket=${issue()}`)).toBe(false);
      expect(redeem({ cookie }, `${path.replace("1", "2")}&ticket=${issue()}`)).toBe(false);
      const late = issue();
      clock.now += TICKET_TTL_MS;
      expect(redeem({ cookie }, `${path}&ticket=${late}`)).toBe(false);
    });
  });

  it("wrong tokens are counted by address, wrong cookies are not, and what is right always passes", () => {
    const access = accessOf();
    const wrong = address("?token=wrong");
    for (let index = 0; index < 100; index++) expect(access.waitAfterBadToken(...wrong, "192.0.2.1")).toBe(0);
    expect(access.waitAfterBadToken(...wrong, "192.0.2.1")).toBeGreaterThan(0);
    expect(access.waitAfterBadToken(...request({ authorization: "Bearer wrong" }), "192.0.2.1")).toBeGreaterThan(0);
    expect(access.waitAfterBadToken(...request({ cookie: "liminal-3000=a.b" }), "192.0.2.1")).toBe(0);
    expect(access.waitAfterBadToken(...request({}), "192.0.2.1")).toBe(0);
    expect(isLetIn(access, address(`?token=${TOKEN}`))).toBe(true);
    expect(isLetIn(access, request({ cookie: cookieOf(access), authorization: "Bearer wrong" }))).toBe(true);
  });
});
