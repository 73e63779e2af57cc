import { TaskQueue } from "../lib/task-queue.ts";
import type { DeviceStore, StoredDevice } from "../ports/device-store.ts";
import { isoTime, type World } from "../ports/world.ts";
import { OWNER_ID } from "../protocol/people.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import { isSameSecret, keyedHash } from "./secrets.ts";

/** Of one person. Beyond this, the device unseen for longest is dropped. */
const DEVICES_MAX = 100;
/** "Last seen" is for people; a write per request would not help them. */
const SEEN_STEP_MS = 5 * 60_000;
const ID_CHARS = 12;
/** Marks the ids of programs that signed in. The secret is hashed together with the id, so the mark cannot be forged. */
const PROGRAM_PREFIX = "program";

/** A browser sends its page key beside its cookie. A program signs in without a page and has only the cookie. */
type DeviceKind = "browser" | "program";

interface DeviceInfo {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly isConnected: boolean;
  readonly personId: PersonId;
}

interface DevicesOptions {
  readonly store: DeviceStore;
  /** With another token every device has to sign in again. */
  readonly token: string;
  readonly world: World;
  /** At least 128 random bits, url-safe, without a dot. */
  readonly newSecret: () => string;
  /** Called if a device could not be stored: it stays signed in until the next start. */
  readonly onUnstored: (error: unknown) => void;
}

/** The signed-in devices. Each has its own generated secret, and each can be revoked separately. */
export class Devices {
  readonly #options: DevicesOptions;
  readonly #tokenMark: string;
  /** Devices of persons other than the owner: a release without people does not have these devices, either. */
  readonly #personMark: string;
  readonly #known: Map<string, StoredDevice>;
  /** Callbacks that close the live connections of a device. */
  readonly #connections = new Map<string, Set<() => void>>();
  /** What changes in memory is stored in the same order. */
  readonly #writes = new TaskQueue();

  /** Stored devices are read first. */
  static async open(options: DevicesOptions): Promise<Devices> {
    return new Devices(options, await options.store.list());
  }

  private constructor(options: DevicesOptions, stored: readonly StoredDevice[]) {
    this.#options = options;
    this.#tokenMark = keyedHash(options.token, "devices of this token").slice(0, ID_CHARS);
    this.#personMark = keyedHash(options.token, "devices of people of this token").slice(0, ID_CHARS);
    const mine = stored.filter((device) => device.tokenMark === this.#markFor(device.personId));
    this.#known = new Map(mine.map((device) => [device.id, device]));
  }

  /** Newest first. */
  list(): readonly DeviceInfo[] {
    return [...this.#known.values()]
      .filter(({ isRevoked }) => !isRevoked)
      .map(({ id, name, createdAt, lastSeenAt, personId }) => {
        const isConnected = this.#connections.has(id);
        return {
          id,
          name,
          createdAt,
          personId: personId ?? OWNER_ID,
          lastSeenAt: isConnected ? isoTime(this.#options.world) : lastSeenAt,
          isConnected,
        };
      })
      .sort((one, other) => other.createdAt.localeCompare(one.createdAt));
  }

  /**
   * The secret that the browser has to send from now on. A known device keeps its identity under a new secret: the old
   * one, which may have been planted or copied, becomes invalid. Resolves when the device is stored, or could not be.
   */
  async signIn(
    name: string,
    current: string | null,
    kind: DeviceKind = "browser",
    person: PersonId = OWNER_ID,
  ): Promise<string> {
    // A browser never takes over the cookie of a program, which needs no page key, nor the reverse, nor that of
    // another person.
    if (current !== null && (kindOf(current) !== kind || this.personOf(current) !== person)) await this.revoke(current);
    const known = current === null ? undefined : this.#known.get(current);
    const id = known?.id ?? this.#newId(kind);
    const secret = this.#options.newSecret();
    const now = isoTime(this.#options.world);
    const kept = this.#keep({ ...this.#stored(id, secret, name, person), createdAt: known?.createdAt ?? now });
    await Promise.all([kept, this.#makeRoom(id)]);
    return `${id}.${secret}`;
  }

  /** The device id of a secret; null if it is unknown. */
  recognize(shown: string): string | null {
    const dot = shown.indexOf(".");
    const [id, secret] = [shown.slice(0, Math.max(dot, 0)), shown.slice(dot + 1)];
    const device = this.#known.get(id);
    if (!device || device.isRevoked || !isSameSecret(device.secretHash, this.#hash(id, secret))) return null;
    this.#seen(device);
    return id;
  }

  /**
   * The second secret of a browser, derived from its cookie's value. No cookie carries it: browsers send cookies to
   * every port of a host, but page storage is limited to one port.
   */
  pageKeyOf(shown: string): string {
    return keyedHash(this.#options.token, `page key of ${shown}`);
  }

  /** Whose it is. */
  personOf(id: string): PersonId {
    return this.#known.get(id)?.personId ?? OWNER_ID;
  }

  isSignedIn(id: string): boolean {
    return this.#known.get(id)?.isRevoked === false;
  }

  /** The device counts as connected until the returned function is called; `cut` closes its connection. */
  connected(id: string, cut: () => void): () => void {
    const cuts = this.#connections.get(id) ?? new Set();
    this.#connections.set(id, cuts.add(cut));
    // It may have been revoked since the check.
    if (!this.isSignedIn(id)) cut();
    return () => {
      cuts.delete(cut);
      if (cuts.size === 0 && this.#connections.get(id) === cuts) this.#connections.delete(id);
      const device = this.#known.get(id);
      if (device && !device.isRevoked) this.#seen(device);
    };
  }

  /**
   * Its secret is invalid and its connections are closed when the call returns; the promise resolves when that is
   * stored. False for an unknown device.
   */
  async revoke(id: string): Promise<boolean> {
    const device = this.#known.get(id);
    if (!device || device.isRevoked) return false;
    this.#known.delete(id);
    for (const cut of [...(this.#connections.get(id) ?? [])]) cut();
    // Revoked in any case; the caller has to know that it may return after a restart.
    await this.#writes.run(() => this.#options.store.delete(id));
    return true;
  }

  /** All devices of a person. */
  async revokeAll(person: PersonId): Promise<void> {
    await this.revokeOthers(null, person);
  }

  /** Revokes all devices of a person except `kept`; returns the revoked ids. */
  async revokeOthers(kept: string | null, person: PersonId = OWNER_ID): Promise<readonly string[]> {
    const others = this.list()
      .filter(({ id, personId }) => id !== kept && personId === person)
      .map(({ id }) => id);
    await Promise.all(others.map((id) => this.revoke(id)));
    return others;
  }

  #stored(id: string, secret: string, name: string, person: PersonId): StoredDevice {
    const now = isoTime(this.#options.world);
    const personId = person === OWNER_ID ? null : person;
    const tokenMark = this.#markFor(personId);
    const secretHash = this.#hash(id, secret);
    return { id, secretHash, tokenMark, name, createdAt: now, lastSeenAt: now, isRevoked: false, personId };
  }

  #markFor(personId: StoredDevice["personId"]): string {
    return personId === null ? this.#tokenMark : this.#personMark;
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
    void this.#keep({ ...device, lastSeenAt: isoTime(world) });
  }

  async #makeRoom(newest: string): Promise<void> {
    const theirs = this.list().filter(({ personId }) => personId === this.personOf(newest));
    const live = theirs.filter(({ id, isConnected }) => id !== newest && !isConnected);
    const excess = theirs.length - DEVICES_MAX;
    const byAge = [...live].sort((one, other) => one.lastSeenAt.localeCompare(other.lastSeenAt));
    await Promise.all(byAge.slice(0, Math.max(excess, 0)).map(({ id }) => this.revoke(id)));
  }

  /** A full disk is no reason to lock the user out: this never rejects. */
  #keep(device: StoredDevice): Promise<void> {
    this.#known.set(device.id, device);
    return this.#writes.run(() => this.#options.store.put(device)).catch(this.#options.onUnstored);
  }
}

export function kindOf(id: string): DeviceKind {
  return id.startsWith(PROGRAM_PREFIX) ? "program" : "browser";
}

const NAME_CHARS_MAX = 60;

/** In this order: later browsers also include the names of earlier ones. */
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

/** "Safari on iPhone": enough to distinguish one's own devices. The browser's claim; nothing depends on it. */
export function deviceName(userAgent: string | null): string {
  const of = (table: typeof BROWSERS) => table.find(([sign]) => sign.test(userAgent ?? ""))?.[1];
  const [browser, system] = [of(BROWSERS), of(SYSTEMS)];
  if (browser === undefined && system === undefined) return plainWord(userAgent) ?? "Unknown device";
  if (browser === undefined || system === undefined) return browser ?? system ?? "";
  return `${browser} on ${system}`;
}

/** The first word of an unknown user agent, without characters that could disturb a list. */
function plainWord(userAgent: string | null): string | null {
  const word = /^[\w .-]+/.exec(userAgent ?? "")?.[0].trim() ?? "";
  return word === "" ? null : word.slice(0, NAME_CHARS_MAX);
}
