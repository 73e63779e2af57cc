import { Program, type SessionId } from "../protocol/ids.ts";

/** Who calls: a session, or null for a program outside of any session. */
export type Caller = SessionId | null;

const NAME_CHARS_MAX = 100;

/** A program by the name it gives itself. */
export function programNamed(name: string | null | undefined): Program | null {
  const plain = (name ?? "").replace(/\p{C}/gu, "").trim().slice(0, NAME_CHARS_MAX);
  return plain === "" ? null : Program.parse(`@name:${plain}`);
}

/** A program on a paired device: the device's own secret says which. */
export function programOnDevice(deviceId: string): Program {
  return Program.parse(`@device:${deviceId}`);
}
