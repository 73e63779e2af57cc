import { describe, expect, it } from "bun:test";
import { DatabaseSync } from "node:sqlite";
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
  const open = (token = "the-token") =>
    new Devices({
      store: new SqliteDeviceStore(db),
      token,
      world,
      newSecret: () => `secret-${++made}`,
      onUnstored: (error) => unstored.push(error),
    });
  return { db, clock, open, unstored };
}

const idOf = (shown: string) => shown.slice(0, shown.indexOf("."));

describe("X-16 Devices", () => {
  it("each browser has a session of its own, over restarts, and only a hash of its secret is stored", () => {
    const { db, open } = scene();
    const devices = open();
    const [phone, tablet] = [devices.signIn("Phone", null), devices.signIn("Tablet", null)];
    expect(phone).not.toBe(tablet);
    expect(open().recognize(phone)).toBe(idOf(phone));
    expect(open().recognize(tablet)).toBe(idOf(tablet));
    const stored = JSON.stringify(db.prepare("SELECT * FROM device").all());
    for (const shown of [phone, tablet]) expect(stored).not.toContain(shown.slice(shown.indexOf(".") + 1));
    expect(
      devices
        .list()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["Phone", "Tablet"]);
  });

  it("what is altered, cut, mixed or made up is nobody's", () => {
    const devices = scene().open();
    const [one, other] = [devices.signIn("One", null), devices.signIn("Other", null)];
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

  it("fixation: signing in never keeps the secret that was shown, and makes it worthless", () => {
    const devices = scene().open();
    const planted = devices.signIn("Attacker", null);
    const after = devices.signIn("Victim", devices.recognize(planted));
    expect(after).not.toBe(planted);
    expect(devices.recognize(planted)).toBeNull();
    expect(devices.recognize(after)).toBe(idOf(planted));
    expect(devices.list()).toMatchObject([{ name: "Victim" }]);
    expect(devices.signIn("Victim", "chosen-by-somebody").startsWith("chosen")).toBe(false);
  });

  it("revoking cuts every connection at once, and the secret is worth nothing, also after a restart", () => {
    const { open } = scene();
    const devices = open();
    const [phone, other] = [devices.signIn("Phone", null), devices.signIn("Other", null)];
    const cut: string[] = [];
    devices.connected(idOf(phone), () => cut.push("phone 1"));
    devices.connected(idOf(phone), () => cut.push("phone 2"));
    devices.connected(idOf(other), () => cut.push("other"));
    expect(devices.revoke(idOf(phone))).toBe(true);
    expect(cut).toEqual(["phone 1", "phone 2"]);
    expect(devices.recognize(phone)).toBeNull();
    expect(devices.revoke(idOf(phone))).toBe(false);
    expect(open().recognize(phone)).toBeNull();
    expect(open().recognize(other)).not.toBeNull();
    devices.connected(idOf(phone), () => cut.push("too late"));
    expect(cut).toContain("too late");
  });

  it("all others can be revoked together, and all of them by who is none of them", () => {
    const devices = scene().open();
    const kept = devices.signIn("Kept", null);
    const gone = [devices.signIn("A", null), devices.signIn("B", null)];
    expect([...devices.revokeOthers(idOf(kept))].sort()).toEqual(gone.map(idOf).sort());
    expect(devices.recognize(kept)).not.toBeNull();
    expect(devices.revokeOthers(null)).toEqual([idOf(kept)]);
    expect(devices.list()).toEqual([]);
  });

  it("under another token everybody is nobody, and comes back with the old one", () => {
    const { open } = scene();
    const shown = open("one").signIn("Phone", null);
    expect(open("two").recognize(shown)).toBeNull();
    expect(open("two").list()).toEqual([]);
    expect(open("one").recognize(shown)).toBe(idOf(shown));
  });

  it("a page key belongs to one cookie and one token, and cannot be had from the cookie", () => {
    const { db, open } = scene();
    const devices = open();
    const [one, other] = [devices.signIn("One", null), devices.signIn("Other", null)];
    const key = devices.pageKeyOf(one);
    expect(open().pageKeyOf(one)).toBe(key);
    expect(new Set([key, devices.pageKeyOf(other), open("another-token").pageKeyOf(one)]).size).toBe(3);
    expect(JSON.stringify(db.prepare("SELECT * FROM device").all())).not.toContain(key);
    const again = devices.signIn("One", idOf(one));
    expect(idOf(again)).toBe(idOf(one));
    expect(devices.pageKeyOf(again)).not.toBe(key);
  });

  it("a browser never becomes a program, nor the other way round: the one it was is revoked", () => {
    const devices = scene().open();
    const program = devices.signIn("curl", null, "program");
    expect(kindOf(idOf(program))).toBe("program");
    const browser = devices.signIn("Victim", devices.recognize(program), "browser");
    expect({ kind: kindOf(idOf(browser)), planted: devices.recognize(program) }).toEqual({
      kind: "browser",
      planted: null,
    });
    const back = devices.signIn("curl", devices.recognize(browser), "program");
    expect({ kind: kindOf(idOf(back)), browser: devices.recognize(browser) }).toEqual({
      kind: "program",
      browser: null,
    });
  });

  it("last seen is coarse, and now while connected", () => {
    const { clock, open } = scene();
    const devices = open();
    const shown = devices.signIn("Phone", null);
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

  it("a hundred are kept: the one that was away longest makes room, a connected one never", () => {
    const { clock, open } = scene();
    const devices = open();
    const first = devices.signIn("first", null);
    devices.connected(idOf(first), () => undefined);
    clock.now += 1_000;
    const second = devices.signIn("second", null);
    for (let index = 0; index < 99; index++) {
      clock.now += 1_000;
      devices.signIn(`more ${index}`, null);
    }
    expect(devices.list()).toHaveLength(100);
    expect(devices.recognize(first)).not.toBeNull();
    expect(devices.recognize(second)).toBeNull();
  });

  it("a disk that takes nothing keeps nobody out, and a revoked device out all the same", () => {
    const { db, clock, open, unstored } = scene();
    const devices = open();
    const before = devices.signIn("before", null);
    db.exec("PRAGMA query_only = ON");
    clock.now += 3_600_000;
    expect(devices.recognize(before)).toBe(idOf(before));
    const after = devices.signIn("after", null);
    expect(devices.recognize(after)).toBe(idOf(after));
    expect(unstored).toHaveLength(2);
    expect(() => devices.revoke(idOf(before))).toThrow();
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
