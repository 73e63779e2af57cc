import { describe, expect, it } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { ApiTokens } from "../access/api-tokens.ts";
import { BadTokenLimit } from "../access/bad-token-limit.ts";
import { Devices } from "../access/devices.ts";
import { TICKET_TTL_MS } from "../access/download-tickets.ts";
import { Pairing } from "../access/pairing.ts";
import { People } from "../access/people.ts";
import { keyedHash } from "../access/secrets.ts";
import { API_TOKENS_MAX } from "../protocol/api-tokens.ts";
import { ProjectId } from "../protocol/ids.ts";
import { OWNER_ID } from "../protocol/people.ts";
import { MIGRATIONS } from "../store/migrations.ts";
import { SqliteApiTokenStore } from "../store/sqlite-api-token-store.ts";
import { SqliteDeviceStore } from "../store/sqlite-device-store.ts";
import { SqlitePeopleStore } from "../store/sqlite-people-store.ts";
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

async function accessOf(options: SceneOptions = {}): Promise<AccessControl> {
  const { port = 3000, host = "127.0.0.1", token = TOKEN, isTls = false, names = [], allowed = [] } = options;
  const world = { now: () => 0, newId: () => crypto.randomUUID() };
  const newSecret = () => crypto.randomUUID();
  const db = options.db ?? newDatabase();
  const store = new SqliteDeviceStore(db);
  const programs = new SqliteApiTokenStore(db);
  return new AccessControl({
    commandToken: null,
    service: null,
    token,
    cookieName: `liminal-${port}`,
    isTls,
    hosts: new OwnHosts({ host, port, isTls, names, allowed }),
    devices: await Devices.open({ store, token, world, newSecret, onUnstored: failed }),
    apiTokens: await ApiTokens.open({ store: programs, token, world, newSecret, onUnstored: failed }),
    people: await People.open({ store: new SqlitePeopleStore(db), world }),
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
async function cookieOf(access: AccessControl, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await access.signIn(request(headers)[0])).cookie.split(";")[0] ?? "";
}

describe("AccessControl: tokens of programs", () => {
  const bearer = (secret: string) => request({ Authorization: `Bearer ${secret}` });

  it("API-2 a secret counts until it is revoked, over a restart too, and only under the same token of the app", async () => {
    const db = newDatabase();
    const access = await accessOf({ db });
    const { token, secret } = await access.apiTokens.create({ name: "CI", scope: "act" });
    const holder = { id: token.id, scope: "act", projectId: null, personId: OWNER_ID } as const;
    expect(access.apiTokenOf(...bearer(secret))).toEqual(holder);
    expect(access.apiTokenOf(...bearer(`${secret}x`))).toBeNull();
    expect((await accessOf({ db })).apiTokenOf(...bearer(secret))).toEqual(holder);
    expect((await accessOf({ db, token: "another" })).apiTokenOf(...bearer(secret))).toBeNull();
    expect(await access.apiTokens.revoke(token.id)).toBe(true);
    expect(access.apiTokenOf(...bearer(secret))).toBeNull();
    expect((await accessOf({ db })).apiTokenOf(...bearer(secret))).toBeNull();
    expect(await access.apiTokens.revoke(token.id)).toBe(false);
  });

  it("API-2 the database has a hash of the secret and never the secret", async () => {
    const db = newDatabase();
    const { secret } = await (await accessOf({ db })).apiTokens.create({ name: "CI", scope: "admin" });
    const random = secret.split("_")[2] ?? "";
    expect(random.length).toBeGreaterThan(20);
    expect(JSON.stringify(db.prepare("SELECT * FROM api_token").all())).not.toContain(random);
  });

  it("API-3 only a token for everything and all projects counts where the app's own does", async () => {
    const access = await accessOf();
    const made = async (wanted: Parameters<ApiTokens["create"]>[0]) => (await access.apiTokens.create(wanted)).secret;
    const projectId = ProjectId.parse("p");
    expect(isLetIn(access, bearer(await made({ name: "a", scope: "read" })))).toBe(false);
    expect(isLetIn(access, bearer(await made({ name: "b", scope: "act" })))).toBe(false);
    expect(isLetIn(access, bearer(await made({ name: "c", scope: "admin", projectId })))).toBe(false);
    expect(isLetIn(access, bearer(await made({ name: "d", scope: "admin" })))).toBe(true);
  });

  it("API-2 there are at most 100, and a connection is cut when its token is revoked", async () => {
    const { apiTokens } = await accessOf();
    const first = await apiTokens.create({ name: "1", scope: "read" });
    for (let count = 1; count < API_TOKENS_MAX; count++) await apiTokens.create({ name: "more", scope: "read" });
    expect(apiTokens.create({ name: "too many", scope: "read" })).rejects.toThrow("100");
    let cuts = 0;
    apiTokens.connected(first.token.id, () => cuts++);
    await apiTokens.revoke(first.token.id);
    expect(cuts).toBe(1);
  });
});

describe("AccessControl: host and origin", () => {
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

  it.each(OWN)("Host %s is ours", async (host) => {
    expect(isForeign(await accessOf(), { host })).toBe(false);
  });

  it.each(STRANGE)("Host %s is foreign, even with our own Origin: a name rebound to our address", async (host) => {
    expect(isForeign(await accessOf(), { host })).toBe(true);
    expect(isForeign(await accessOf(), { host, origin: "http://127.0.0.1:3000" })).toBe(true);
  });

  it.each(["http://127.0.0.1:3000", "http://localhost:3000", "http://[::1]:3000", "https://localhost:3000"])(
    "Origin %s is ours, whichever of our names the Host has",
    async (origin) => {
      for (const host of OWN) expect(isForeign(await accessOf(), { host, origin })).toBe(false);
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
  ])("Origin %s is foreign", async (origin) => {
    expect(isForeign(await accessOf(), { host: "127.0.0.1:3000", origin })).toBe(true);
  });

  it("a configured name is ours, too, and only that one", async () => {
    const named = await accessOf({ host: "build.example", port: 8080 });
    expect(isForeign(named, { host: "Build.example:8080", origin: "http://build.example:8080" })).toBe(false);
    expect(isForeign(named, { host: "localhost:8080" })).toBe(false);
    expect(isForeign(named, { host: "other.example:8080" })).toBe(true);
    const ipv6 = await accessOf({ host: "fd00::1" });
    expect(isForeign(ipv6, { host: "[fd00::1]:3000", origin: "http://[fd00::1]:3000" })).toBe(false);
  });

  it("on port 80 the port may be missing, as browsers omit it", async () => {
    const plain = await accessOf({ port: 80 });
    expect(isForeign(plain, { host: "localhost", origin: "http://localhost" })).toBe(false);
    expect(isForeign(plain, { host: "localhost:80" })).toBe(false);
    expect(isForeign(plain, { host: "evil.example", origin: "http://localhost" })).toBe(true);
    expect(isForeign(plain, { host: "localhost", origin: "http://evil.example" })).toBe(true);
  });

  it("X-16 on port 443 with TLS the port may be missing, and only https is ours", async () => {
    const secure = await accessOf({ port: 443, isTls: true });
    expect(isForeign(secure, { host: "localhost", origin: "https://localhost" })).toBe(false);
    expect(isForeign(secure, { host: "localhost", origin: "http://localhost" })).toBe(true);
    expect(
      isForeign(await accessOf({ isTls: true }), { host: "localhost:3000", origin: "http://localhost:3000" }),
    ).toBe(true);
  });

  it("X-16 on every address, each plain address is ours, and names only if they are the machine's", async () => {
    const all = await accessOf({ host: "0.0.0.0", names: ["box", "box.local"] });
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

  it("X-16 a page of another machine is foreign, even with a plain address", async () => {
    const all = await accessOf({ host: "0.0.0.0" });
    expect(isForeign(all, { host: "192.168.1.2:3000", origin: "http://192.168.1.66:3000" })).toBe(true);
    expect(isForeign(all, { host: "192.168.1.2:3000", origin: "http://192.168.1.2:3001" })).toBe(true);
  });

  it("X-16 names that the user allows are ours, with their own port, with ours or without one", async () => {
    const proxied = await accessOf({ allowed: ["build.example", "box.example:8443"] });
    for (const host of ["build.example", "build.example:3000", "box.example:8443"])
      expect(isForeign(proxied, { host, origin: `https://${host}` })).toBe(false);
    for (const host of ["build.example:8443", "box.example", "box.example:3000", "evil.example"])
      expect({ host, foreign: isForeign(proxied, { host }) }).toEqual({ host, foreign: true });
  });
});

describe("AccessControl: callers", () => {
  const address = (query: string) => request({}, `http://127.0.0.1:3000/ws${query}`);

  it.each([
    ["a bearer token", request({ authorization: `Bearer ${TOKEN}` })],
    ["a bearer token in another case", request({ authorization: `bearer ${TOKEN}` })],
    ["the token in the address", address(`?token=${TOKEN}`)],
  ])("%s is accepted", async (_, asked) => {
    expect(isLetIn(await accessOf(), asked)).toBe(true);
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
  ])("%s is refused", async (_, asked) => {
    expect(isLetIn(await accessOf(), asked)).toBe(false);
  });

  it("an empty token of our own accepts no request", async () => {
    const open = await accessOf({ token: "" });
    expect(isLetIn(open, address("?token="))).toBe(false);
    expect(open.isToken("")).toBe(false);
  });

  it("a browser gets its own session, not the token, and only its server receives it", async () => {
    const access = await accessOf();
    const { cookie } = await access.signIn(request({ accept: "text/html" })[0]);
    expect(cookie).toMatch(/^liminal-3000=[0-9a-f]{12}\.[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(cookie).not.toContain(TOKEN);
    expect(await cookieOf(access)).not.toBe(await cookieOf(access));
  });

  it("X-16 with TLS, ours or a proxy's, the cookie is sent over TLS only", async () => {
    const cookieAt = async (isTls: boolean, headers: Readonly<Record<string, string>>) =>
      (await (await accessOf({ isTls })).signIn(request(headers)[0])).cookie;
    expect(await cookieAt(true, {})).toEndWith("; Secure");
    expect(await cookieAt(false, { "x-forwarded-proto": "https" })).toEndWith("; Secure");
    expect(await cookieAt(true, { "x-forwarded-proto": "http" })).toEndWith("; Secure");
  });

  it("the cookie is accepted, also among others, and after a restart with the same token", async () => {
    const db = newDatabase();
    const cookie = await cookieOf(await accessOf({ db }));
    expect(isLetIn(await accessOf({ db }), request({ cookie }))).toBe(true);
    expect(isLetIn(await accessOf({ db }), request({ cookie: `theme=dark; ${cookie}; liminal-30=x` }))).toBe(true);
    expect(isLetIn(await accessOf({ db, token: "today's" }), request({ cookie }))).toBe(false);
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
  ])("%s is refused, too", async (_, change) => {
    const access = await accessOf();
    expect(isLetIn(access, request({ cookie: change(await cookieOf(access)) }))).toBe(false);
  });

  it("fixation: a planted cookie is replaced on signing in, and is invalid then", async () => {
    const access = await accessOf();
    const made = await cookieOf(access, { cookie: "liminal-3000=attacker.chosen" });
    expect(made).not.toContain("attacker");
    const planted = await cookieOf(access);
    const own = await cookieOf(access, { cookie: planted });
    expect(own).not.toBe(planted);
    expect(isLetIn(access, request({ cookie: planted }))).toBe(false);
    expect(isLetIn(access, request({ cookie: own }))).toBe(true);
  });

  it("a cookie of the older form is refused", async () => {
    const access = await accessOf();
    const cookie = `liminal-3000=b-1.${keyedHash(TOKEN, "browser:b-1")}`;
    expect(isLetIn(access, request({ cookie }))).toBe(false);
    expect(access.mayLoadPage(...request({ cookie }))).toBe(false);
  });

  describe("(S13) a browser sends a page key beside its cookie", () => {
    const NAVIGATION = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const asProtocol = (key: string) => ({ "sec-websocket-protocol": `liminal, liminal.key.${key}` });

    async function browserOf(access: AccessControl) {
      const { cookie, pageKey } = await access.signIn(request(NAVIGATION)[0]);
      if (pageKey === null) throw new Error("a browser gets a page key");
      return { cookie: cookie.split(";")[0] ?? "", key: pageKey };
    }

    it("with it, in a header or as the name of a subprotocol, it is accepted and may pair others", async () => {
      const access = await accessOf();
      const { cookie, key } = await browserOf(access);
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
    ])("%s is refused without it", async (_, headersOf) => {
      const access = await accessOf();
      const headers = headersOf(await browserOf(access), await browserOf(access));
      expect(isLetIn(access, request(headers))).toBe(false);
    });

    it("signing in again makes the old key invalid", async () => {
      const access = await accessOf();
      const { cookie, key } = await browserOf(access);
      const again = await access.signIn(request({ ...NAVIGATION, cookie })[0]);
      const shown = { cookie: again.cookie.split(";")[0] ?? "" };
      expect(isLetIn(access, request({ ...shown, "x-liminal-key": key }))).toBe(false);
      expect(isLetIn(access, request({ ...shown, "x-liminal-key": again.pageKey ?? "" }))).toBe(true);
    });

    it("a browser that signed in before there were keys loads the page, and nothing else, until it signs in again", async () => {
      const access = await accessOf();
      const cookie = `liminal-3000=${await access.devices.signIn("Chrome on Linux", null)}`;
      expect(isLetIn(access, request({ cookie }))).toBe(false);
      expect(access.mayLoadPage(...request({ cookie, "sec-fetch-dest": "document" }))).toBe(true);
      // A page that was open during the update then detects that it is signed out.
      expect(access.mayLoadPage(...request({ cookie, "sec-fetch-dest": "empty" }))).toBe(false);
    });

    it("a ticket opens one address once, for the device that requested it and for a minute", async () => {
      const clock = { now: 0 };
      const access = await accessOf({ monotonicMs: () => clock.now });
      const [own, other] = [await browserOf(access), await browserOf(access)];
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
      expect(redeem({ cookie }, `${path}&ticket=${ticket}`, "POST")).toBeNull();
      expect(redeem({ cookie }, `${path}&ticket=${ticket}`)).toBe(OWNER_ID);
      expect(redeem({ cookie }, `${path}&ticket=${ticket}`)).toBeNull();
      expect(redeem({ cookie }, path)).toBeNull();
      expect(redeem({ cookie }, `${path}&ticket=`)).toBeNull();
      expect(redeem({}, `${path}&ticket=${issue()}`)).toBeNull();
      expect(redeem({ cookie: other.cookie }, `${path}&ticket=${issue()}`)).toBeNull();
      expect(redeem({ cookie }, `/api/export-all?ticket=${issue()}`)).toBeNull();
      expect(redeem({ cookie }, `${path.replace("1", "2")}&ticket=${issue()}`)).toBeNull();
      const late = issue();
      clock.now += TICKET_TTL_MS;
      expect(redeem({ cookie }, `${path}&ticket=${late}`)).toBeNull();
    });
  });

  it("wrong tokens are counted by address, wrong cookies are not, and right ones always pass", async () => {
    const access = await accessOf();
    const wrong = address("?token=wrong");
    for (let index = 0; index < 100; index++) expect(access.waitAfterBadToken(...wrong, "192.0.2.1")).toBe(0);
    expect(access.waitAfterBadToken(...wrong, "192.0.2.1")).toBeGreaterThan(0);
    expect(access.waitAfterBadToken(...request({ authorization: "Bearer wrong" }), "192.0.2.1")).toBeGreaterThan(0);
    expect(access.waitAfterBadToken(...request({ cookie: "liminal-3000=a.b" }), "192.0.2.1")).toBe(0);
    expect(access.waitAfterBadToken(...request({}), "192.0.2.1")).toBe(0);
    expect(isLetIn(access, address(`?token=${TOKEN}`))).toBe(true);
    expect(isLetIn(access, request({ cookie: await cookieOf(access), authorization: "Bearer wrong" }))).toBe(true);
  });
});
