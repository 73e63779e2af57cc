import { z } from "zod";
import { ExactVersion } from "../../protocol/client-messages.ts";

/** How a version is started. The file is relative to the version's folder, so that the data directory can be moved. */
export const Launch = z.object({
  runtime: z.enum(["bun", "node", "native"]),
  file: z.string().min(1),
  args: z.array(z.string()),
});
export type Launch = z.infer<typeof Launch>;

/** A version that was installed and proved itself. */
export const InstalledVersion = z.object({
  version: ExactVersion,
  package: z.string(),
  installedAt: z.string(),
  command: Launch,
  env: z.record(z.string(), z.string()),
});
export type InstalledVersion = z.infer<typeof InstalledVersion>;

/** `current.json`: what is started now, and what one step back would start. */
export const CurrentVersion = InstalledVersion.extend({ previous: InstalledVersion.nullable() });
export type CurrentVersion = z.infer<typeof CurrentVersion>;

/** What our own install of an agent can start. */
export interface InstalledAgent {
  readonly version: string;
  readonly previousVersion: string | null;
  /** Null when its files are gone. */
  readonly command: readonly string[] | null;
  readonly env: Readonly<Record<string, string>>;
}
