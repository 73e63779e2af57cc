import { createHash, X509Certificate } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod/mini";
import { replaceFile } from "../agents/install/replace-file.ts";
import { parseJson } from "../lib/parse-json.ts";
import { PlaceName } from "../protocol/places.ts";
import type { KeyPair } from "./runner-authority.ts";

const Pair = z.object({ cert: z.string(), key: z.string() });
const Authority = z.object({ ca: Pair, server: Pair });

/** What is thought of a certificate of ours. */
export type Verdict = "good" | "revoked" | "expired" | "early";

/** SHA-256, as a join link has it. */
export function fingerprintOf({ raw }: { readonly raw: Uint8Array }): string {
  return createHash("sha256").update(raw).digest("base64url");
}

/**
 * The authority for runners, and which certificate of it each place has: one, in a file of its own. Files are looked at
 * each time, so that whatever removes one revokes it. The time of a file is when its runner was here last.
 */
export class RunnerCertificates {
  readonly #dir: string;
  readonly #ca: KeyPair;
  readonly #caKey: X509Certificate["publicKey"];
  /** Shown to runners. */
  readonly server: KeyPair;

  private constructor(dir: string, { ca, server }: z.infer<typeof Authority>) {
    this.#dir = dir;
    this.#ca = ca;
    this.#caKey = new X509Certificate(ca.cert).publicKey;
    this.server = server;
  }

  /** The authority is made if there is none. */
  static async open(dir: string, nowMs: number): Promise<RunnerCertificates> {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    chmodSync(dir, 0o700);
    const path = join(dir, "authority.json");
    if (!existsSync(path)) {
      const { makeAuthority } = await import("./runner-authority.ts");
      replaceFile(path, `${JSON.stringify(await makeAuthority(nowMs))}\n`);
    }
    return new RunnerCertificates(dir, Authority.parse(parseJson(readFileSync(path, "utf8"))));
  }

  get fingerprint(): string {
    return fingerprintOf(new X509Certificate(this.server.cert));
  }

  get ca(): string {
    return this.#ca.cert;
  }

  /** It is not let in before it is kept. Rejects for what is no public key. */
  async issue(place: string, publicKeyPem: string, nowMs: number): Promise<string> {
    const { issue } = await import("./runner-authority.ts");
    return issue(this.#ca, place, publicKeyPem, nowMs);
  }

  /** A place has one: the one before is revoked. */
  keep(place: string, cert: string): void {
    replaceFile(fileOf(this.#dir, place), `${fingerprintOf(new X509Certificate(cert))}\n`);
  }

  /** Null for a certificate that is not ours. Whoever shows it has proven to have its key. */
  judge(shown: X509Certificate, nowMs: number): { readonly place: string; readonly verdict: Verdict } | null {
    if (!shown.verify(this.#caKey)) return null;
    const place = PlaceName.safeParse(/^CN=(.+)$/.exec(shown.subject)?.[1]);
    if (!place.success) return null;
    return { place: place.data, verdict: this.#verdict(place.data, shown, nowMs) };
  }

  #verdict(place: string, shown: X509Certificate, nowMs: number): Verdict {
    if (this.#issued(place) !== fingerprintOf(shown)) return "revoked";
    if (nowMs >= Date.parse(shown.validTo)) return "expired";
    return nowMs < Date.parse(shown.validFrom) ? "early" : "good";
  }

  /** When its runner was here last, or joined; null if no machine has joined. */
  seenAtMs(place: string): number | null {
    return statSync(fileOf(this.#dir, place), { throwIfNoEntry: false })?.mtimeMs ?? null;
  }

  seen(place: string, nowMs: number): void {
    try {
      utimesSync(fileOf(this.#dir, place), nowMs / 1_000, nowMs / 1_000);
    } catch (error) {
      // It was revoked.
      if (!(error instanceof Error) || Reflect.get(error, "code") !== "ENOENT") throw error;
    }
  }

  revoke(place: string): void {
    revokeIn(this.#dir, place);
  }

  /** Of all other places, they are revoked. */
  keepOnly(places: readonly string[]): void {
    for (const name of readdirSync(this.#dir))
      if (name.endsWith(ISSUED) && !places.includes(name.slice(0, -ISSUED.length)))
        this.revoke(name.slice(0, -ISSUED.length));
  }

  #issued(place: string): string | null {
    const path = fileOf(this.#dir, place);
    return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
  }
}

const ISSUED = ".issued";

function fileOf(dir: string, place: string): string {
  return join(dir, `${place}${ISSUED}`);
}

/** Also while no server runs. */
export function revokeIn(dir: string, place: string): void {
  rmSync(fileOf(dir, place), { force: true });
}
