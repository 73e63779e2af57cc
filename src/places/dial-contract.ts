import { z } from "zod/mini";

const TEXT_CHARS_MAX = 2_000;

/** From a runner that has no certificate yet. */
export const JoinRequest = z.object({
  code: z.string().check(z.maxLength(TEXT_CHARS_MAX)),
  /** As PEM. */
  publicKey: z.string().check(z.maxLength(TEXT_CHARS_MAX)),
});
/** Which place it is from now on, and its certificate, as PEM. */
export const JoinAnswer = z.object({ place: z.string(), certificate: z.string() });
/** A runner that is told this does not dial again. */
export const WhyOver = z.object({ message: z.string() });
