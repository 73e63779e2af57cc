import { z } from "zod/mini";

const GROUP_ID_CHARS_MAX = 200;

export const AttemptGroupId = z
  .string()
  .check(z.minLength(1), z.maxLength(GROUP_ID_CHARS_MAX))
  .brand<"AttemptGroupId">();
export type AttemptGroupId = z.infer<typeof AttemptGroupId>;

/** Of a session that is one of several at a task. */
export const Attempt = z.object({
  groupId: AttemptGroupId,
  /** Counted from 1. */
  number: z.int().check(z.minimum(1)),
});
export type Attempt = z.infer<typeof Attempt>;
