import type { World } from "../ports/world.ts";
import { isSameSecret, keyedHash } from "./secrets.ts";

export const PAIRING_TTL_MS = 5 * 60_000;
/** Open and ended ones together; the oldest goes first. */
const PAIRINGS_MAX = 20;

interface Invitation {
  readonly id: string;
  readonly codeHash: string;
  /** Counted on the monotonic clock: setting the wall clock neither ends nor extends it. */
  readonly endsAtMs: number;
  /** For display alone. */
  readonly expiresAt: string;
  /** The device that made it; null for a program with the token. */
  readonly by: string | null;
  /** The name of the device that used it. */
  usedBy: string | null;
}

export type PairingStatus =
  | { readonly status: "waiting"; readonly expiresAt: string }
  | { readonly status: "used"; readonly device: string }
  | { readonly status: "expired" };

interface PairingOptions {
  readonly world: World;
  /** Milliseconds on a clock that nobody can set. */
  readonly monotonicMs: () => number;
  readonly newSecret: () => string;
  /** Signed in, and not thrown out. */
  readonly isSignedIn: (device: string) => boolean;
}

/** One-time codes that sign another device in. They are kept in memory only: a restart ends them all. */
export class Pairing {
  readonly #options: PairingOptions;
  readonly #key: string;
  readonly #invitations = new Map<string, Invitation>();

  constructor(options: PairingOptions) {
    this.#options = options;
    this.#key = options.newSecret();
  }

  /** It ends with the device that made it. */
  invite(by: string | null): { readonly id: string; readonly code: string; readonly expiresAt: string } {
    const { world, monotonicMs, newSecret } = this.#options;
    const code = newSecret();
    const id = world.newId();
    const endsAtMs = monotonicMs() + PAIRING_TTL_MS;
    const expiresAt = new Date(world.now() + PAIRING_TTL_MS).toISOString();
    this.#invitations.set(id, { id, codeHash: this.#hash(code), endsAtMs, expiresAt, by, usedBy: null });
    for (const oldest of this.#invitations.keys()) {
      if (this.#invitations.size <= PAIRINGS_MAX) break;
      this.#invitations.delete(oldest);
    }
    return { id, code, expiresAt };
  }

  /** Whether the code would sign a device in now. */
  isOpen(code: string): boolean {
    return this.#openFor(code) !== undefined;
  }

  /** Uses the code up; false for one that was never given, was used, or is too old. */
  redeem(code: string, device: string): boolean {
    const invitation = this.#openFor(code);
    if (!invitation) return false;
    invitation.usedBy = device;
    return true;
  }

  /** What became of it; null for one nobody knows. */
  statusOf(id: string): PairingStatus | null {
    const invitation = this.#invitations.get(id);
    if (!invitation) return null;
    if (invitation.usedBy !== null) return { status: "used", device: invitation.usedBy };
    if (this.#isOver(invitation)) return { status: "expired" };
    return { status: "waiting", expiresAt: invitation.expiresAt };
  }

  #openFor(code: string): Invitation | undefined {
    const hash = this.#hash(code);
    const invitation = [...this.#invitations.values()].find(({ codeHash }) => isSameSecret(codeHash, hash));
    return invitation && invitation.usedBy === null && !this.#isOver(invitation) ? invitation : undefined;
  }

  #isOver({ endsAtMs, by }: Invitation): boolean {
    const { monotonicMs, isSignedIn } = this.#options;
    return monotonicMs() >= endsAtMs || (by !== null && !isSignedIn(by));
  }

  #hash(code: string): string {
    return keyedHash(this.#key, code);
  }
}
