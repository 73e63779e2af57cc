import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "../../lib/parse-json.ts";
import type { PushStore, PushSubscription } from "../../ports/push-store.ts";
import { isoTime, type World } from "../../ports/world.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import { NOTICE_AFTER_MS_DEFAULT, NOTICE_EVENTS } from "../../protocol/notices.ts";
import { encryptPush, makeVapidKeys, type VapidKeys, vapidHeader } from "./encrypt-push.ts";
import type { KnownTarget } from "./notice-settings.ts";
import type { Notice, PostOutcome } from "./post-notice.ts";

const ENDPOINT_CHARS_MAX = 700;
const SUBSCRIPTIONS_MAX = 100;
const PUBLIC_KEY_BYTES = 65;
const AUTH_BYTES = 16;
const PRIVATE_MODE = 0o600;
const DEADLINE_MS = 10_000;
const TTL_S = 24 * 60 * 60;
const ID_PREFIX = "push:";
const ID_CHARS = 24;
const TEXT_CHARS_MAX = 200;
/** The browser has ended the subscription. */
const GONE: readonly number[] = [404, 410];
const TOO_MANY_REQUESTS = 429;

const bytes = (text: string) => Buffer.from(text, "base64url").length;
/** As a browser's own `PushSubscription` is written. */
const Subscription = z.object({
  endpoint: z.url().max(ENDPOINT_CHARS_MAX).refine(isPushAddress, "expected an https address"),
  keys: z.object({
    p256dh: z.string().refine((text) => bytes(text) === PUBLIC_KEY_BYTES, "expected a public key"),
    auth: z.string().refine((text) => bytes(text) === AUTH_BYTES, "expected a secret of 16 bytes"),
  }),
});
const Keys = z.object({ publicKey: z.string(), privateKey: z.string() });

/** Push services have https; one on this machine is for tests and needs none. */
function isPushAddress(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && hostname === "127.0.0.1");
}

interface WebPushOptions {
  readonly world: World;
  readonly store: PushStore;
  /** The file with the server's own keys; made, readable by the user alone, when a page first asks for them. */
  readonly keysPath: string;
  /** A revoked device gets nothing more. */
  readonly isSignedIn: (deviceId: string) => boolean;
  /** Whether the person of that device may look at the project. */
  readonly mayKnow: (deviceId: string, projectId: ProjectId) => boolean;
}

/** Notices to browsers that asked for them, also while no page is open. Off until a device subscribes. */
export class WebPush {
  readonly #options: WebPushOptions;
  readonly #subscriptions: Map<string, PushSubscription>;
  #keys: VapidKeys | null = null;

  static async open(options: WebPushOptions): Promise<WebPush> {
    return new WebPush(options, await options.store.list());
  }

  private constructor(options: WebPushOptions, stored: readonly PushSubscription[]) {
    this.#options = options;
    this.#subscriptions = new Map(stored.map((one) => [idOf(one.endpoint), one]));
  }

  get publicKey(): string {
    return this.#ownKeys().publicKey;
  }

  isOn(deviceId: string): boolean {
    return [...this.#subscriptions.values()].some((one) => one.deviceId === deviceId);
  }

  /** Its error, as a sentence; null when it was stored. */
  async subscribe(deviceId: string, asked: unknown): Promise<string | null> {
    const read = Subscription.safeParse(asked);
    if (!read.success) return "Expected the browser's subscription: an https address and its two keys. Try again.";
    const { endpoint, keys } = read.data;
    const id = idOf(endpoint);
    if (this.#subscriptions.size >= SUBSCRIPTIONS_MAX && !this.#subscriptions.has(id))
      return `At most ${SUBSCRIPTIONS_MAX} devices get notices. Revoke one in Settings › Devices first.`;
    const { store, world } = this.#options;
    // A device has one: an earlier subscription is removed.
    await this.unsubscribe(deviceId);
    const subscription = { endpoint, deviceId, publicKey: keys.p256dh, auth: keys.auth };
    await store.put(subscription, isoTime(world));
    this.#subscriptions.set(id, subscription);
    return null;
  }

  async unsubscribe(deviceId: string): Promise<void> {
    for (const [id, one] of this.#subscriptions) if (one.deviceId === deviceId) await this.#drop(id, one);
  }

  /** Like the addresses of config.json. */
  targets(): readonly KnownTarget[] {
    return [...this.#subscriptions].flatMap(([id, { endpoint, deviceId }]) =>
      this.#options.isSignedIn(deviceId)
        ? [{ id, url: endpoint, format: "json" as const, on: [...NOTICE_EVENTS], afterMs: NOTICE_AFTER_MS_DEFAULT }]
        : [],
    );
  }

  owns({ id }: Pick<KnownTarget, "id">): boolean {
    return id.startsWith(ID_PREFIX);
  }

  /** Whether the device may receive notices of the project. */
  mayKnow({ id }: Pick<KnownTarget, "id">, projectId: ProjectId): boolean {
    const to = this.#subscriptions.get(id);
    return to !== undefined && this.#options.mayKnow(to.deviceId, projectId);
  }

  /** One POST. The answer's body is not read, and no redirect is followed. */
  async post({ id }: Pick<KnownTarget, "id">, notice: Notice, signal: AbortSignal): Promise<PostOutcome> {
    const to = this.#subscriptions.get(id);
    if (!to || !this.#options.isSignedIn(to.deviceId))
      return { ok: false, isFinal: true, problem: "This device no longer gets notices." };
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    try {
      const response = await fetch(to.endpoint, {
        method: "POST",
        redirect: "manual",
        signal: AbortSignal.any([signal, deadline]),
        headers: {
          Authorization: vapidHeader(to.endpoint, this.#ownKeys(), this.#options.world.now()),
          "Content-Type": "application/octet-stream",
          "Content-Encoding": "aes128gcm",
          TTL: String(TTL_S),
          Urgency: notice.event === "asks" ? "high" : "normal",
        },
        body: new Uint8Array(encryptPush(textOf(notice), to)),
      });
      await response.body?.cancel();
      if (response.ok) return { ok: true };
      if (GONE.includes(response.status)) await this.#drop(id, to);
      const isFinal = response.status < 500 && response.status !== TOO_MANY_REQUESTS;
      return { ok: false, isFinal, problem: `The push service rejected the notice (HTTP ${response.status}).` };
    } catch {
      return { ok: false, isFinal: false, problem: "Could not reach the push service of the browser." };
    }
  }

  async #drop(id: string, { endpoint }: PushSubscription): Promise<void> {
    this.#subscriptions.delete(id);
    await this.#options.store.remove(endpoint);
  }

  #ownKeys(): VapidKeys {
    const { keysPath } = this.#options;
    this.#keys ??= existsSync(keysPath)
      ? (Keys.safeParse(parseJson(readFileSync(keysPath, "utf8"))).data ?? null)
      : null;
    if (this.#keys === null) {
      this.#keys = makeVapidKeys();
      writeFileSync(keysPath, `${JSON.stringify(this.#keys)}\n`, { mode: PRIVATE_MODE });
    }
    return this.#keys;
  }
}

function idOf(endpoint: string): string {
  return `${ID_PREFIX}${createHash("sha256").update(endpoint).digest("hex").slice(0, ID_CHARS)}`;
}

/** The text of the service worker's notification. It contains neither agent text nor a token. */
function textOf({ id, heading, title, project, sessionId }: Notice): string {
  const body = [title, project].filter((part) => part !== "").join("\n");
  const notice = { title: cut(heading), body: cut(body), tag: sessionId ?? id, session: sessionId ?? "" };
  return JSON.stringify(notice);
}

function cut(text: string): string {
  const letters = [...text];
  return letters.length <= TEXT_CHARS_MAX ? text : `${letters.slice(0, TEXT_CHARS_MAX - 1).join("")}…`;
}
