/** Where a browser receives notices, and the keys with which it decrypts them. */
export interface PushSubscription {
  readonly endpoint: string;
  /** Removed together with its device. */
  readonly deviceId: string;
  readonly publicKey: string;
  readonly auth: string;
}

export interface PushStore {
  list(): Promise<readonly PushSubscription[]>;
  /** Replaces one with the same endpoint. */
  put(subscription: PushSubscription, at: string): Promise<void>;
  remove(endpoint: string): Promise<void>;
}
