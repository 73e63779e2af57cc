import { z } from "zod";
import { parseJson } from "../lib/parse-json.ts";
import type { AccessControl, Caller } from "./access-control.ts";
import { json, shortBody } from "./plain-pages.ts";

const Revoke = z.union([
  z.strictObject({ id: z.string().min(1).max(64) }),
  z.strictObject({ others: z.literal(true) }),
]);

/** How this server is reached from elsewhere, and how to know that it is this one. */
export interface Reach {
  /** Addresses of the page for other devices, the likeliest first; empty when only this machine can reach us. */
  readonly origins: () => readonly string[];
  readonly localOrigin: string;
  readonly certificate: {
    readonly fingerprint: string;
    readonly isGenerated: boolean;
    readonly expiresAt: string;
  } | null;
}

interface DeviceRoutesDeps {
  readonly access: AccessControl;
  readonly reach: Reach;
}

/** `/api/devices`, `/api/devices/revoke` and `/api/pairing`; null for any other path or method. */
export function deviceRoute(
  deps: DeviceRoutesDeps,
  caller: Caller,
  request: Request,
  url: URL,
): Response | Promise<Response> | null {
  switch (`${request.method} ${url.pathname}`) {
    case "GET /api/devices":
      return listDevices(deps, caller);
    case "POST /api/devices/revoke":
      return revoke(deps, caller, request);
    case "POST /api/pairing":
      return invite(deps, caller);
    case "GET /api/pairing":
      return pairingStatus(deps, url);
    default:
      return null;
  }
}

function listDevices({ access, reach }: DeviceRoutesDeps, caller: Caller): Response {
  const own = ownId(caller);
  const devices = access.devices.list().map((device) => ({ ...device, isThis: device.id === own }));
  return json(200, { devices, certificate: reach.certificate, isReachable: reach.origins().length > 0 });
}

async function revoke({ access }: DeviceRoutesDeps, caller: Caller, request: Request): Promise<Response> {
  const wish = Revoke.safeParse(parseJson((await shortBody(request)) ?? ""));
  if (!wish.success) return json(400, { error: 'Name a device: {"id": …}, or all others: {"others": true}.' });
  if ("others" in wish.data) return json(200, { revoked: access.devices.revokeOthers(ownId(caller)) });
  if (access.devices.revoke(wish.data.id)) return json(200, { revoked: [wish.data.id] });
  return json(404, { error: "There is no such device. It may have been revoked already." });
}

function invite({ access, reach }: DeviceRoutesDeps, caller: Caller): Response {
  const { id, code, expiresAt } = access.pairing.invite(ownId(caller));
  const origins = reach.origins();
  const links = (origins.length > 0 ? origins : [reach.localOrigin]).map((origin) => `${origin}/pair?code=${code}`);
  return json(201, { id, links, expiresAt, certificate: reach.certificate, isReachable: origins.length > 0 });
}

function pairingStatus({ access }: DeviceRoutesDeps, url: URL): Response {
  const status = access.pairing.statusOf(url.searchParams.get("id") ?? "");
  return status ? json(200, status) : json(404, { error: "There is no such link. Make a new one." });
}

function ownId(caller: Caller): string | null {
  return caller.kind === "device" ? caller.id : null;
}
