import { z } from "zod/mini";
import { PairingOutcome, ShownDevice, ShownInvitation } from "../../protocol/devices.ts";
import { askServer } from "../own-server.ts";

/** What the page reads of `/api/devices`. */
const DeviceList = z.object({ devices: z.array(ShownDevice), isReachable: z.boolean() });
export type DeviceList = z.infer<typeof DeviceList>;

const Refused = z.object({ error: z.string() });

export async function fetchDevices(): Promise<DeviceList> {
  return DeviceList.parse(await ask("/api/devices"));
}

export async function revokeDevices(which: { readonly id: string } | { readonly others: true }): Promise<void> {
  await ask("/api/devices/revoke", { method: "POST", body: JSON.stringify(which) });
}

export async function makeInvitation(): Promise<ShownInvitation> {
  return ShownInvitation.parse(await ask("/api/pairing", { method: "POST", body: "{}" }));
}

export async function fetchPairing(id: string): Promise<PairingOutcome> {
  return PairingOutcome.parse(await ask(`/api/pairing?${new URLSearchParams({ id })}`));
}

/** What the server refuses is thrown in its words. */
async function ask(path: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await askServer(path, init);
  if (answer.ok) return answer.json();
  const refused = Refused.safeParse(await answer.json().catch(() => null));
  throw new Error(refused.success ? refused.data.error : `The server answered ${answer.status}. Try again.`);
}
