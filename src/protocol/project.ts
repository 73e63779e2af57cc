import { z } from "zod/mini";
import { ProjectId } from "./ids.ts";

export const Project = z.object({ id: ProjectId, path: z.string(), name: z.string(), addedAt: z.string() });
export type Project = z.infer<typeof Project>;
