/** A browser that was signed in, as it is kept: of its secret only a keyed hash. */
export interface StoredDevice {
  readonly id: string;
  readonly secretHash: string;
  /** Which token it was signed in under; under another one it is nobody. */
  readonly tokenMark: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  /** Kept after the end, so that what led to it cannot lead to it again. */
  readonly isRevoked: boolean;
}

export interface DeviceStore {
  list(): readonly StoredDevice[];
  put(device: StoredDevice): void;
  delete(id: string): void;
}
