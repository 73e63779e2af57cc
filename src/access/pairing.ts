import type { World } from "../ports/world.ts";
import { OWNER_ID } from "../protocol/people.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import { isSameSecret, keyedHash } from "./secrets.ts";

export const PAIRING_TTL_MS = 5 * 60_000;
/** A link for another person is sent to them, and opened later. */
export const INVITATION_TTL_MS = 24 * 60 * 60_000;
/** For one person, open and ended ones together; the oldest is dropped first. */
const PAIRINGS_MAX = 20;

interface Invitation {
  readonly id: string;
  readonly codeHash: string;
  /** On the monotonic clock: changing the wall clock neither ends nor extends it. */
  readonly endsAtMs: number;
  /** For display only. */
  readonly expiresAt: string;
  /** The device that created it; null for a program with the token. */
  readonly by: string | null;
  /** Whose device it makes. */
  readonly person: PersonId;
  /** The name of the device that used it. */
  usedBy: string | null;
}

export type PairingStatus =
  | { readonly status: "waiting"; readonly expiresAt: string }
  | { readonly status: "used"; readonly device: string }
  | { readonly status: "expired" };

interface PairingOptions {
  readonly world: World;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicMs: () => number;
  readonly newSecret: () => string;
  /** Signed in, and not revoked. */
  readonly isSignedIn: (device: string) => boolean;
  /** Is there, and was not disabled. */
  readonly isActive?: (person: PersonId) => boolean;
}

/** One-time codes that sign in another device. Kept in memory only: a restart ends them all. */
export class Pairing {
  readonly #options: PairingOptions;
  readonly #key: string;
  readonly #invitations = new Map<string, Invitation>();

  constructor(options: PairingOptions) {
    this.#options = options;
    this.#key = options.newSecret();
  }

  /** It ends with the device that created it, and with the person it is for. */
  invite(
    by: string | null,
    person: PersonId = OWNER_ID,
    ttlMs = PAIRING_TTL_MS,
  ): { readonly id: string; readonly code: string; readonly expiresAt: string } {
    const { world, monotonicMs, newSecret } = this.#options;
    const code = newSecret();
    const id = world.newId();
    const endsAtMs = monotonicMs() + ttlMs;
    const expiresAt = new Date(world.now() + ttlMs).toISOString();
    this.#invitations.set(id, { id, codeHash: this.#hash(code), endsAtMs, expiresAt, by, person, usedBy: null });
    // Limited for each person: many links of one do not end those of others.
    const theirs = [...this.#invitations.values()].filter((one) => one.person === person);
    for (const oldest of theirs.slice(0, -PAIRINGS_MAX)) this.#invitations.delete(oldest.id);
    return { id, code, expiresAt };
  }

  /** Whether the code would sign in a device now. */
  isOpen(code: string): boolean {
    return this.#openFor(code) !== undefined;
  }

  /** Consumes the code; the person whose device it makes, or null if it is unknown, used or expired. */
  redeem(code: string, device: string): PersonId | null {
    const invitation = this.#openFor(code);
    if (!invitation) return null;
    invitation.usedBy = device;
    return invitation.person;
  }

  /** Whose device it makes; null if it is unknown. */
  personOf(id: string): PersonId | null {
    return this.#invitations.get(id)?.person ?? null;
  }

  /** The state of a pairing; null if it is unknown. */
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

  #isOver({ endsAtMs, by, person }: Invitation): boolean {
    const { monotonicMs, isSignedIn, isActive = () => true } = this.#options;
    return monotonicMs() >= endsAtMs || (by !== null && !isSignedIn(by)) || !isActive(person);
  }

  #hash(code: string): string {
    return keyedHash(this.#key, code);
  }
}
