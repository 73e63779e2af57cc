import { parseJson } from "../lib/parse-json.ts";
import type { Caller } from "./access-control.ts";
import { json, shortBody } from "./plain-pages.ts";

/** Notices that are pushed to devices. */
export interface PushDoor {
  readonly publicKey: string;
  isOn(deviceId: string): boolean;
  /** Its error as a sentence; null when it was stored. */
  subscribe(deviceId: string, subscription: unknown): Promise<string | null>;
  unsubscribe(deviceId: string): Promise<void>;
}

/** `/api/push`: a device asks, subscribes (`POST` with the browser's subscription) or ends it (`POST` with null). */
export async function pushRoute(push: PushDoor, caller: Caller, request: Request): Promise<Response> {
  if (caller.kind !== "device") return json(400, { error: "Only a device can subscribe to notices." });
  if (request.method === "GET") return json(200, { publicKey: push.publicKey, isOn: push.isOn(caller.id) });
  const asked = parseJson((await shortBody(request)) ?? "");
  if (asked === null) {
    await push.unsubscribe(caller.id);
    return json(200, { isOn: false });
  }
  const problem = await push.subscribe(caller.id, asked);
  return problem === null ? json(200, { isOn: true }) : json(400, { error: problem });
}
