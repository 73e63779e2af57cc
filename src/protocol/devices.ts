import { z } from "zod/mini";
import { PersonRef } from "./person-ref.ts";

/** A signed-in browser, as `/api/devices` shows it to page and command line. */
export const ShownDevice = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  lastSeenAt: z.string(),
  isConnected: z.boolean(),
  /** The device of this request. */
  isThis: z.boolean(),
  /** Whose it is, where there is more than one person. */
  person: z.optional(PersonRef),
});
export type ShownDevice = z.infer<typeof ShownDevice>;

const Certificate = z.object({ fingerprint: z.string(), isGenerated: z.boolean(), expiresAt: z.string() });

/** The result of `/api/pairing`: one-time links that sign in another device. */
export const ShownInvitation = z.object({
  id: z.string(),
  links: z.array(z.string()).check(z.minLength(1)),
  expiresAt: z.string(),
  certificate: z.nullable(Certificate),
  isReachable: z.boolean(),
});
export type ShownInvitation = z.infer<typeof ShownInvitation>;

/** The outcome of one. */
export const PairingOutcome = z.object({
  status: z.enum(["waiting", "used", "expired"]),
  device: z.optional(z.string()),
});
export type PairingOutcome = z.infer<typeof PairingOutcome>;
