import type { DeviceStore, StoredDevice } from "../ports/device-store.ts";
import { isoTime, type World } from "../ports/world.ts";
import { isSameSecret, keyedHash } from "./secrets.ts";

/** The one that was away longest makes room. */
const DEVICES_MAX = 100;
/** "Last seen" is for people; a write per request would buy them nothing. */
const SEEN_STEP_MS = 5 * 60_000;
const ID_CHARS = 12;
/** Marks the ids of programs that signed in. The secret is hashed together with the id, so the mark cannot be forged. */
const PROGRAM_PREFIX = "program";

/** A browser shows its page key beside its cookie. A program signed in without a page, and has only the cookie. */
type DeviceKind = "browser" | "program";

interface DeviceInfo {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly isConnected: boolean;
}

interface DevicesOptions {
  readonly store: DeviceStore;
  /** With another token every device has to sign in again. */
  readonly token: string;
  readonly world: World;
  /** At least 128 bits of chance, url-safe, without a dot. */
  readonly newSecret: () => string;
  /** Hears that a device could not be written down: it is there all the same, until the next start. */
  readonly onUnstored: (error: unknown) => void;
}

/** The signed-in browsers. Each has a secret of its own, made here and nowhere else, and each can be thrown out alone. */
export class Devices {
  readonly #options: DevicesOptions;
  readonly #tokenMark: string;
  readonly #known: Map<string, StoredDevice>;
  /** How the live connections of a device are cut. */
  readonly #connections = new Map<string, Set<() => void>>();

  constructor(options: DevicesOptions) {
    this.#options = options;
    this.#tokenMark = keyedHash(options.token, "devices of this token").slice(0, ID_CHARS);
    const mine = options.store.list().filter(({ tokenMark }) => tokenMark === this.#tokenMark);
    this.#known = new Map(mine.map((device) => [device.id, device]));
  }

  /** Newest first. */
  list(): readonly DeviceInfo[] {
    return [...this.#known.values()]
      .filter(({ isRevoked }) => !isRevoked)
      .map(({ id, name, createdAt, lastSeenAt }) => {
        const isConnected = this.#connections.has(id);
        return {
          id,
          name,
          createdAt,
          lastSeenAt: isConnected ? isoTime(this.#options.world) : lastSeenAt,
          isConnected,
        };
      })
      .sort((one, other) => other.createdAt.localeCompare(one.createdAt));
  }

  /**
   * What the browser has to show from now on. A device that is already known stays the same one under a new secret:
   * whoever planted or copied the old one is left with nothing.
   */
  signIn(name: string, current: string | null, kind: DeviceKind = "browser"): string {
    // A browser never takes over the cookie of a program, which opens things without a page key, nor the other way round.
    if (current !== null && kindOf(current) !== kind) this.revoke(current);
    const known = current === null ? undefined : this.#known.get(current);
    const id = known?.id ?? this.#newId(kind);
    const secret = this.#options.newSecret();
    const now = isoTime(this.#options.world);
    this.#keep({ ...this.#stored(id, secret, name), createdAt: known?.createdAt ?? now });
    this.#makeRoom(id);
    return `${id}.${secret}`;
  }

  /** Whose secret it is; null for nobody's. */
  recognize(shown: string): string | null {
    const dot = shown.indexOf(".");
    const [id, secret] = [shown.slice(0, Math.max(dot, 0)), shown.slice(dot + 1)];
    const device = this.#known.get(id);
    if (!device || device.isRevoked || !isSameSecret(device.secretHash, this.#hash(id, secret))) return null;
    this.#seen(device);
    return id;
  }

  /**
   * The second secret of a browser, derived from its cookie's value. No cookie carries it: browsers send cookies to every
   * port of a host, but give what a page stores to pages of its own port alone.
   */
  pageKeyOf(shown: string): string {
    return keyedHash(this.#options.token, `page key of ${shown}`);
  }

  isSignedIn(id: string): boolean {
    return this.#known.get(id)?.isRevoked === false;
  }

  /** The device is there until the returned function is called; `cut` ends it from our side. */
  connected(id: string, cut: () => void): () => void {
    const cuts = this.#connections.get(id) ?? new Set();
    this.#connections.set(id, cuts.add(cut));
    // It may have been thrown out between the check and now.
    if (!this.isSignedIn(id)) cut();
    return () => {
      cuts.delete(cut);
      if (cuts.size === 0 && this.#connections.get(id) === cuts) this.#connections.delete(id);
      const device = this.#known.get(id);
      if (device && !device.isRevoked) this.#seen(device);
    };
  }

  /** Its secret is worth nothing and its connections are cut when this returns; false for one that is not there. */
  revoke(id: string): boolean {
    const device = this.#known.get(id);
    if (!device || device.isRevoked) return false;
    this.#known.delete(id);
    for (const cut of [...(this.#connections.get(id) ?? [])]) cut();
    // Thrown out in any case; that it may come back after a restart is for the caller to know.
    this.#options.store.delete(id);
    return true;
  }

  /** All but this one; null leaves none. Those that were thrown out. */
  revokeOthers(kept: string | null): readonly string[] {
    return this.list()
      .map(({ id }) => id)
      .filter((id) => id !== kept && this.revoke(id));
  }

  #stored(id: string, secret: string, name: string): StoredDevice {
    const now = isoTime(this.#options.world);
    const tokenMark = this.#tokenMark;
    const secretHash = this.#hash(id, secret);
    return { id, secretHash, tokenMark, name, createdAt: now, lastSeenAt: now, isRevoked: false };
  }

  #hash(id: string, secret: string): string {
    return keyedHash(this.#options.token, `device ${id}:${secret}`);
  }

  #newId(kind: DeviceKind): string {
    for (;;) {
      const made = this.#options.world.newId().replaceAll("-", "").slice(0, ID_CHARS);
      const id = kind === "program" ? `${PROGRAM_PREFIX}${made}` : made;
      if (!this.#known.has(id)) return id;
    }
  }

  #seen(device: StoredDevice): void {
    const { world } = this.#options;
    if (Math.abs(world.now() - Date.parse(device.lastSeenAt)) < SEEN_STEP_MS) return;
    this.#keep({ ...device, lastSeenAt: isoTime(world) });
  }

  #makeRoom(newest: string): void {
    const live = this.list().filter(({ id, isConnected }) => id !== newest && !isConnected);
    const excess = this.list().length - DEVICES_MAX;
    const byAge = [...live].sort((one, other) => one.lastSeenAt.localeCompare(other.lastSeenAt));
    for (const { id } of byAge.slice(0, Math.max(excess, 0))) this.revoke(id);
  }

  /** A full disk is no reason to lock the user out. */
  #keep(device: StoredDevice): void {
    this.#known.set(device.id, device);
    try {
      this.#options.store.put(device);
    } catch (error) {
      this.#options.onUnstored(error);
    }
  }
}

export function kindOf(id: string): DeviceKind {
  return id.startsWith(PROGRAM_PREFIX) ? "program" : "browser";
}

const NAME_CHARS_MAX = 60;

/** In this order: later ones also call themselves by the names of earlier ones. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(HeadlessChrome|Chromium)\//, "Chromium"],
  [/\b(Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac(intosh| OS X)\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

/** "Safari on iPhone": enough to tell one's own devices apart. It is a claim of the browser's, and nothing hangs on it. */
export function deviceName(userAgent: string | null): string {
  const of = (table: typeof BROWSERS) => table.find(([sign]) => sign.test(userAgent ?? ""))?.[1];
  const [browser, system] = [of(BROWSERS), of(SYSTEMS)];
  if (browser === undefined && system === undefined) return plainWord(userAgent) ?? "Unknown device";
  if (browser === undefined || system === undefined) return browser ?? system ?? "";
  return `${browser} on ${system}`;
}

/** The first word of what calls itself something else, without what could disturb a list. */
function plainWord(userAgent: string | null): string | null {
  const word = /^[\w .-]+/.exec(userAgent ?? "")?.[0].trim() ?? "";
  return word === "" ? null : word.slice(0, NAME_CHARS_MAX);
}
