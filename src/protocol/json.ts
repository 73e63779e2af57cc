import { z } from "zod";

/** Any JSON value: what agents send in places the protocol leaves open (tool input, annotations). */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export const Json: z.ZodType<Json> = z.json();
