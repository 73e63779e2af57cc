import type { z } from "zod/mini";

/** Parses a message of another window; null for what is none. */
export function readPosted<Message>(schema: z.ZodMiniType<Message>, data: unknown): Message | null {
  try {
    return schema.safeParse(data).data ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null; // nested deeper than the stack allows
    throw error;
  }
}
