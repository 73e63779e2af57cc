import type { ShownHook } from "../protocol/incoming-hooks.ts";

/** A hook as stored: only a keyed hash of its secret. */
export interface StoredHook {
  readonly hook: ShownHook;
  readonly secretHash: string;
}

/** Read once at the start. */
export interface HookStore {
  /** By name. */
  list(): Promise<readonly StoredHook[]>;
  /** Adds it, or replaces the one with its name. */
  put(hook: StoredHook): Promise<void>;
  delete(name: string): Promise<void>;
}
