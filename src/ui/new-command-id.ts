import { CommandId } from "../protocol/ids.ts";

const ID_BYTES = 16;

/** A unique id; `randomUUID` is missing on plain http in a LAN. */
export function newCommandId(): CommandId {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return CommandId.parse(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
}
