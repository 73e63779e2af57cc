import { z } from "zod/mini";

/** Why nothing can be stored. */
export const StorageFault = z.enum(["disk-full", "read-only", "disk-error", "in-use"]);
export type StorageFault = z.infer<typeof StorageFault>;

/** Whether data can be stored; if not, why, and what the user can do. */
export const StorageState = z.object({
  writable: z.boolean(),
  fault: z.optional(StorageFault),
  message: z.optional(z.string()),
});
export type StorageState = z.infer<typeof StorageState>;

export const WRITABLE: StorageState = { writable: true };
