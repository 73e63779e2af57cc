import { z } from "zod/mini";

/** One process for all sessions of an agent, or one for each. */
export const ProcessTopology = z.enum(["shared", "per-session"]);
export type ProcessTopology = z.infer<typeof ProcessTopology>;
