import { z } from "zod/mini";
import { CliType, SessionId } from "../../protocol/ids.ts";
import { AgentStatus } from "../../protocol/server-messages.ts";
import { askServer } from "../own-server.ts";

/** What the page reads of `/api/status`. */
export const AgentsStatus = z.object({
  agents: z.array(
    z.object({
      id: CliType,
      status: AgentStatus,
      busy: z.boolean(),
      pid: z.nullable(z.int()),
      memoryBytes: z.nullable(z.number()),
      uptimeMs: z.nullable(z.number()),
      restarts: z.int(),
    }),
  ),
  sessions: z.array(
    z.object({ id: SessionId, pid: z.optional(z.int()), memoryBytes: z.optional(z.nullable(z.number())) }),
  ),
  data: z.object({ path: z.string(), databaseBytes: z.number() }),
});
export type AgentsStatus = z.infer<typeof AgentsStatus>;
export type AgentProcess = AgentsStatus["agents"][number];

/** Asks the server what runs now; rejects when it cannot say. */
export async function fetchAgentsStatus(): Promise<AgentsStatus> {
  const answer = await askServer("/api/status");
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return AgentsStatus.parse(await answer.json());
}
