import { z } from "zod/mini";

const Certificate = z.object({ fingerprint: z.string(), isGenerated: z.boolean(), expiresAt: z.string() });

const Device = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  lastSeenAt: z.string(),
  isConnected: z.boolean(),
  isThis: z.boolean(),
});
export type Device = z.infer<typeof Device>;

/** What the page reads of `/api/devices`. */
const DeviceList = z.object({ devices: z.array(Device), isReachable: z.boolean() });
export type DeviceList = z.infer<typeof DeviceList>;

const Invitation = z.object({
  id: z.string(),
  links: z.array(z.string()).check(z.minLength(1)),
  expiresAt: z.string(),
  certificate: z.nullable(Certificate),
  isReachable: z.boolean(),
});
export type Invitation = z.infer<typeof Invitation>;

const PairingStatus = z.object({
  status: z.enum(["waiting", "used", "expired"]),
  device: z.optional(z.string()),
});
export type PairingStatus = z.infer<typeof PairingStatus>;

const Refused = z.object({ error: z.string() });

export async function fetchDevices(): Promise<DeviceList> {
  return DeviceList.parse(await ask("/api/devices"));
}

export async function revokeDevices(which: { readonly id: string } | { readonly others: true }): Promise<void> {
  await ask("/api/devices/revoke", { method: "POST", body: JSON.stringify(which) });
}

export async function makeInvitation(): Promise<Invitation> {
  return Invitation.parse(await ask("/api/pairing", { method: "POST", body: "{}" }));
}

export async function fetchPairing(id: string): Promise<PairingStatus> {
  return PairingStatus.parse(await ask(`/api/pairing?${new URLSearchParams({ id })}`));
}

/** What the server refuses is thrown in its words. */
async function ask(path: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await fetch(path, { cache: "no-store", ...init });
  if (answer.ok) return answer.json();
  const refused = Refused.safeParse(await answer.json().catch(() => null));
  throw new Error(refused.success ? refused.data.error : `The server answered ${answer.status}. Try again.`);
}
