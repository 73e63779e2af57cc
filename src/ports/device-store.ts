/** A browser that was signed in, as it is kept: of its secret only a keyed hash. */
export interface StoredDevice {
  readonly id: string;
  readonly secretHash: string;
  /** Which token it was signed in under; under another one it is nobody. */
  readonly tokenMark: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  /** Written by older versions, which kept some devices after their end. */
  readonly isRevoked: boolean;
}

export interface DeviceStore {
  list(): readonly StoredDevice[];
  put(device: StoredDevice): void;
  delete(id: string): void;
}
