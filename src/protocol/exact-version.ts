import { z } from "zod/mini";

/** One version of a program: never a range, a tag or an address. */
export const ExactVersion = z.string().check(z.maxLength(64), z.regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/));
