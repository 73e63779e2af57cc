import { z } from "zod";
import { ProjectId } from "../../protocol/ids.ts";
import { CommandConsent, TerminalId } from "../../protocol/terminals.ts";
import { WorktreeId } from "../../protocol/worktree-ref.ts";
import { WorktreeSetup } from "../../protocol/worktrees.ts";

const ServiceRecord = z.object({
  projectId: ProjectId,
  worktreeId: z.nullable(WorktreeId),
  name: z.string(),
  hash: z.string(),
  settings: z.object({
    command: z.string(),
    port: z.boolean(),
    url: z.nullable(z.string()),
    restart: z.enum(["never", "on-failure"]),
    autoStart: z.boolean(),
  }),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  port: z.nullable(z.int()),
  /** Null while its terminal is being opened. */
  terminalId: z.nullable(TerminalId),
  startedAt: z.string(),
  restarts: z.int(),
});
/** A service that runs, so that the next server can watch it. */
export type ServiceRecord = z.infer<typeof ServiceRecord>;

const Records = z.object({
  version: z.literal(1),
  /** Without a project: from before they could be revoked one by one. */
  consents: z.array(z.object({ ...CommandConsent.shape, projectId: z.optional(ProjectId) })),
  setups: z.array(z.object({ worktreeId: WorktreeId, projectId: ProjectId, setup: WorktreeSetup })),
  ports: z.array(z.object({ key: z.string(), port: z.int() })),
  running: z.array(ServiceRecord),
});
export type Records = z.infer<typeof Records>;

/** Null: the file is not as we write it. */
export function parseRecords(text: string): Records | null {
  try {
    return Records.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
