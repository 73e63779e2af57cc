import { z } from "zod/mini";

/** Any JSON value: what agents send in places the protocol leaves open (tool input, annotations). */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export const Json: z.ZodMiniType<Json> = z.json();
