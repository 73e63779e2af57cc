import type { PersonId } from "../protocol/person-ref.ts";

/** A signed-in browser, as stored: only a keyed hash of its secret. */
export interface StoredDevice {
  readonly id: string;
  readonly secretHash: string;
  /** The token it signed in with; under another one it is invalid. */
  readonly tokenMark: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  /** Written by older versions, which kept some devices after their end. */
  readonly isRevoked: boolean;
  /** The person it belongs to. Null: the owner. */
  readonly personId: PersonId | null;
}

/**
 * Read once at the start. Requests are checked against the devices in memory (`access/devices.ts`): the check of a request
 * and cutting the sockets of a revoked device wait for no store.
 */
export interface DeviceStore {
  /** Oldest first. */
  list(): Promise<readonly StoredDevice[]>;
  /** Adds it, or replaces the one with its id; `createdAt` stays the first one's. */
  put(device: StoredDevice): Promise<void>;
  delete(id: string): Promise<void>;
}
