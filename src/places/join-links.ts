import { createHash } from "node:crypto";

export const JOIN_TTL_MINUTES = 15;
const MINUTE_MS = 60_000;
/** Open and ended ones together; the oldest is dropped first. */
const LINKS_MAX = 20;

/** What a runner needs to join. */
export interface JoinLink {
  readonly host: string;
  readonly port: number;
  readonly code: string;
  /** SHA-256 of the server's certificate, in base64url. */
  readonly fingerprint: string;
}

const LINK = /^liminal:\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+):(\d{1,5})\/join\/([\w-]{43})\/([\w-]{43})$/i;
const PORT_MAX = 65_535;

/** Nothing in it has a meaning for a shell. */
export function formatJoinLink({ host, port, code, fingerprint }: JoinLink): string {
  return `liminal://${host.includes(":") ? `[${host}]` : host}:${port}/join/${code}/${fingerprint}`;
}

/** Null for what is no such link. */
export function parseJoinLink(text: string): JoinLink | null {
  const [, name = "", digits = "", code = "", fingerprint = ""] = LINK.exec(text.trim()) ?? [];
  const port = Number(digits);
  if (name === "" || port < 1 || port > PORT_MAX) return null;
  return { host: name.replace(/^\[(.*)\]$/, "$1"), port, code, fingerprint };
}

interface Invitation {
  readonly place: string;
  /** On the monotonic clock: changing the wall clock neither ends nor extends it. */
  readonly endsAtMs: number;
  isUsed: boolean;
}

export type Redeemed = { readonly state: "open" | "used" | "late"; readonly place: string };

/** One-time codes that let a machine join as a place. Kept in memory only: a restart ends them all. */
export class JoinLinks {
  readonly #monotonicMs: () => number;
  readonly #newCode: () => string;
  /** By the hash of their code. */
  readonly #invitations = new Map<string, Invitation>();

  /** `newCode`: 32 random bytes, in base64url. */
  constructor(monotonicMs: () => number, newCode: () => string) {
    this.#monotonicMs = monotonicMs;
    this.#newCode = newCode;
  }

  invite(place: string): string {
    const code = this.#newCode();
    const endsAtMs = this.#monotonicMs() + JOIN_TTL_MINUTES * MINUTE_MS;
    this.#invitations.set(hashOf(code), { place, endsAtMs, isUsed: false });
    for (const oldest of [...this.#invitations.keys()].slice(0, -LINKS_MAX)) this.#invitations.delete(oldest);
    return code;
  }

  /** Uses it up. Null for a code that was never given, or long ago. */
  redeem(code: string): Redeemed | null {
    const invitation = this.#invitations.get(hashOf(code));
    if (!invitation) return null;
    const { place } = invitation;
    if (invitation.isUsed) return { state: "used", place };
    if (this.#monotonicMs() >= invitation.endsAtMs) return { state: "late", place };
    invitation.isUsed = true;
    return { state: "open", place };
  }

  /** Those of a place end with it. */
  drop(place: string): void {
    for (const [hash, invitation] of this.#invitations) if (invitation.place === place) this.#invitations.delete(hash);
  }
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("base64url");
}
