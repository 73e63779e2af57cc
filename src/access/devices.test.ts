import { describe, expect, it } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import type { DeviceStore } from "../ports/device-store.ts";
import { MIGRATIONS } from "../store/migrations.ts";
import { SqliteDeviceStore } from "../store/sqlite-device-store.ts";
import { Devices, deviceName, kindOf } from "./devices.ts";

function scene() {
  const db = new DatabaseSync(":memory:");
  for (const step of MIGRATIONS) db.exec(step);
  const clock = { now: Date.UTC(2026, 0, 1) };
  const unstored: unknown[] = [];
  let made = 0;
  const world = { now: () => clock.now, newId: () => `${String(++made).padStart(8, "0")}-0000` };
  const open = (token = "the-token", store: DeviceStore = new SqliteDeviceStore(db)) =>
    Devices.open({
      store,
      token,
      world,
      newSecret: () => `secret-${++made}`,
      onUnstored: (error) => unstored.push(error),
    });
  return { db, clock, open, unstored };
}

const idOf = (shown: string) => shown.slice(0, shown.indexOf("."));

describe("X-16 Devices", () => {
  it("each browser has its own session, across restarts, and only a hash of its secret is stored", async () => {
    const { db, open } = scene();
    const devices = await open();
    const [phone, tablet] = [await devices.signIn("Phone", null), await devices.signIn("Tablet", null)];
    expect(phone).not.toBe(tablet);
    expect((await open()).recognize(phone)).toBe(idOf(phone));
    expect((await open()).recognize(tablet)).toBe(idOf(tablet));
    const stored = JSON.stringify(db.prepare("SELECT * FROM device").all());
    for (const shown of [phone, tablet]) expect(stored).not.toContain(shown.slice(shown.indexOf(".") + 1));
    expect(
      devices
        .list()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["Phone", "Tablet"]);
  });

  it("altered, truncated, mixed or invented secrets are not recognized", async () => {
    const devices = await scene().open();
    const [one, other] = [await devices.signIn("One", null), await devices.signIn("Other", null)];
    const wrong = [
      "",
      ".",
      "x",
      idOf(one),
      `${idOf(one)}.`,
      `${one}x`,
      one.slice(0, -1),
      `${idOf(one)}.${other.slice(other.indexOf(".") + 1)}`,
      `.${one}`,
      "__proto__.x",
    ];
    for (const shown of wrong) expect({ shown, id: devices.recognize(shown) }).toEqual({ shown, id: null });
  });

  it("fixation: signing in never keeps the presented secret, and makes it invalid", async () => {
    const devices = await scene().open();
    const planted = await devices.signIn("Attacker", null);
    const after = await devices.signIn("Victim", devices.recognize(planted));
    expect(after).not.toBe(planted);
    expect(devices.recognize(planted)).toBeNull();
    expect(devices.recognize(after)).toBe(idOf(planted));
    expect(devices.list()).toMatchObject([{ name: "Victim" }]);
    expect((await devices.signIn("Victim", "chosen-by-somebody")).startsWith("chosen")).toBe(false);
  });

  it("revoking closes every connection at once, and the secret stays invalid after a restart", async () => {
    const { open } = scene();
    const devices = await open();
    const [phone, other] = [await devices.signIn("Phone", null), await devices.signIn("Other", null)];
    const cut: string[] = [];
    devices.connected(idOf(phone), () => cut.push("phone 1"));
    devices.connected(idOf(phone), () => cut.push("phone 2"));
    devices.connected(idOf(other), () => cut.push("other"));
    const revoked = devices.revoke(idOf(phone));
    // In the same step: nothing is awaited yet.
    expect(cut).toEqual(["phone 1", "phone 2"]);
    expect(devices.recognize(phone)).toBeNull();
    expect(await revoked).toBe(true);
    expect(await devices.revoke(idOf(phone))).toBe(false);
    expect((await open()).recognize(phone)).toBeNull();
    expect((await open()).recognize(other)).not.toBeNull();
    devices.connected(idOf(phone), () => cut.push("too late"));
    expect(cut).toContain("too late");
  });

  it("what changes is stored in the order it happened, however long the store takes", async () => {
    const { db, open } = scene();
    const store = new SqliteDeviceStore(db);
    const { promise: untilFree, resolve: free } = Promise.withResolvers<void>();
    const slow: DeviceStore = {
      list: () => store.list(),
      put: async (device) => {
        await untilFree;
        await store.put(device);
      },
      delete: (id) => store.delete(id),
    };
    const devices = await open("the-token", slow);
    const signedIn = devices.signIn("Phone", null);
    const [phone] = devices.list();
    const revoked = devices.revoke(phone?.id ?? "");
    free();
    await Promise.all([signedIn, revoked]);
    expect(await store.list()).toEqual([]);
  });

  it("all others can be revoked together, and all of them by a caller that is none of them", async () => {
    const devices = await scene().open();
    const kept = await devices.signIn("Kept", null);
    const gone = [await devices.signIn("A", null), await devices.signIn("B", null)];
    expect([...(await devices.revokeOthers(idOf(kept)))].sort()).toEqual(gone.map(idOf).sort());
    expect(devices.recognize(kept)).not.toBeNull();
    expect(await devices.revokeOthers(null)).toEqual([idOf(kept)]);
    expect(devices.list()).toEqual([]);
  });

  it("under another token no device is recognized; with the old token they are again", async () => {
    const { open } = scene();
    const shown = await (await open("one")).signIn("Phone", null);
    expect((await open("two")).recognize(shown)).toBeNull();
    expect((await open("two")).list()).toEqual([]);
    expect((await open("one")).recognize(shown)).toBe(idOf(shown));
  });

  it("a page key belongs to one cookie and one token, and cannot be derived from the cookie", async () => {
    const { db, open } = scene();
    const devices = await open();
    const [one, other] = [await devices.signIn("One", null), await devices.signIn("Other", null)];
    const key = devices.pageKeyOf(one);
    expect((await open()).pageKeyOf(one)).toBe(key);
    expect(new Set([key, devices.pageKeyOf(other), (await open("another-token")).pageKeyOf(one)]).size).toBe(3);
    expect(JSON.stringify(db.prepare("SELECT * FROM device").all())).not.toContain(key);
    const again = await devices.signIn("One", idOf(one));
    expect(idOf(again)).toBe(idOf(one));
    expect(devices.pageKeyOf(again)).not.toBe(key);
  });

  it("a browser never becomes a program, nor the reverse: the old device is revoked", async () => {
    const devices = await scene().open();
    const program = await devices.signIn("curl", null, "program");
    expect(kindOf(idOf(program))).toBe("program");
    const browser = await devices.signIn("Victim", devices.recognize(program), "browser");
    expect({ kind: kindOf(idOf(browser)), planted: devices.recognize(program) }).toEqual({
      kind: "browser",
      planted: null,
    });
    const back = await devices.signIn("curl", devices.recognize(browser), "program");
    expect({ kind: kindOf(idOf(back)), browser: devices.recognize(browser) }).toEqual({
      kind: "program",
      browser: null,
    });
  });

  it("last seen is coarse, and current while connected", async () => {
    const { clock, open } = scene();
    const devices = await open();
    const shown = await devices.signIn("Phone", null);
    const seen = () => Date.parse(devices.list()[0]?.lastSeenAt ?? "") - Date.UTC(2026, 0, 1);
    clock.now += 60_000;
    devices.recognize(shown);
    expect(seen()).toBe(0);
    clock.now += 300_000;
    devices.recognize(shown);
    expect(seen()).toBe(360_000);
    const leave = devices.connected(idOf(shown), () => undefined);
    clock.now += 600_000;
    expect(seen()).toBe(960_000);
    leave();
    clock.now += 60_000;
    expect(seen()).toBe(960_000);
  });

  it("a hundred are kept: the one unseen for longest is dropped, a connected one never", async () => {
    const { clock, open } = scene();
    const devices = await open();
    const first = await devices.signIn("first", null);
    devices.connected(idOf(first), () => undefined);
    clock.now += 1_000;
    const second = await devices.signIn("second", null);
    for (let index = 0; index < 99; index++) {
      clock.now += 1_000;
      await devices.signIn(`more ${index}`, null);
    }
    expect(devices.list()).toHaveLength(100);
    expect(devices.recognize(first)).not.toBeNull();
    expect(devices.recognize(second)).toBeNull();
  });

  it("an unwritable disk causes no lockout, and a revoked device stays revoked", async () => {
    const { db, clock, open, unstored } = scene();
    const devices = await open();
    const before = await devices.signIn("before", null);
    db.exec("PRAGMA query_only = ON");
    clock.now += 3_600_000;
    expect(devices.recognize(before)).toBe(idOf(before));
    const after = await devices.signIn("after", null);
    expect(devices.recognize(after)).toBe(idOf(after));
    expect(unstored).toHaveLength(2);
    await expect(devices.revoke(idOf(before))).rejects.toThrow("readonly");
    expect(devices.recognize(before)).toBeNull();
  });
});

it.each([
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
    "Safari on iPhone",
  ],
  [
    "Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/120.0 Mobile/15E148 Safari/604.1",
    "Chrome on iPad",
  ],
  [
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36",
    "Chrome on Android",
  ],
  [
    "Mozilla/5.0 (Linux; Android 13; SM-S901B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/23.0 Chrome/115.0 Mobile Safari/537.36",
    "Samsung Internet on Android",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 Edg/130.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
    "Safari on Mac",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/130.0 Safari/537.36",
    "Chromium on Linux",
  ],
  ["curl/8.5.0", "curl"],
  ["<b>\u001b[31m", "Unknown device"],
  [`${"x".repeat(500)}`, "x".repeat(60)],
  ["", "Unknown device"],
  [null, "Unknown device"],
])("%s is called %s", (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name);
});
