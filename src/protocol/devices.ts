import { z } from "zod/mini";

/** A signed-in browser, as `/api/devices` shows it to page and command line. */
export const ShownDevice = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  lastSeenAt: z.string(),
  isConnected: z.boolean(),
  /** The one that asks. */
  isThis: z.boolean(),
});
export type ShownDevice = z.infer<typeof ShownDevice>;

const Certificate = z.object({ fingerprint: z.string(), isGenerated: z.boolean(), expiresAt: z.string() });

/** What `/api/pairing` makes: links that sign one other device in, once. */
export const ShownInvitation = z.object({
  id: z.string(),
  links: z.array(z.string()).check(z.minLength(1)),
  expiresAt: z.string(),
  certificate: z.nullable(Certificate),
  isReachable: z.boolean(),
});
export type ShownInvitation = z.infer<typeof ShownInvitation>;

/** What became of one. */
export const PairingOutcome = z.object({
  status: z.enum(["waiting", "used", "expired"]),
  device: z.optional(z.string()),
});
export type PairingOutcome = z.infer<typeof PairingOutcome>;
