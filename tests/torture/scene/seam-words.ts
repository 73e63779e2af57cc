import { z } from "zod";

/** What the torture and the code it puts into the server's process say to each other, through two files and a signal. */
export const SEAM_VARIABLE = "TORTURE_SEAM_DIR";
export const SEAM_ORDER = "order";
export const SEAM_ANSWER = "answer";
/** One that neither the server nor its runtime has a meaning for. */
export const SEAM_SIGNAL = "SIGWINCH";

export const SeamOrder = z.object({ id: z.int(), clockOffsetMs: z.int(), collect: z.boolean() });
export type SeamOrder = z.infer<typeof SeamOrder>;

export const SeamAnswer = z.object({ id: z.int(), heapBytes: z.number(), objects: z.number() });
export type SeamAnswer = z.infer<typeof SeamAnswer>;
/** Names the file with the offset of the far machine's clock. */
export const FAR_CLOCK_VARIABLE = "TORTURE_FAR_CLOCK";
