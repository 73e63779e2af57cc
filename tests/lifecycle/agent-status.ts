import { z } from "zod";
import type { SocketClient } from "../support/socket-client.ts";
import type { TestServer } from "../support/test-server.ts";

const Status = z.object({
  agents: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      busy: z.boolean(),
      pid: z.int().nullable(),
      memoryBytes: z.int().nullable(),
      uptimeMs: z.int().nullable(),
      restarts: z.int(),
    }),
  ),
  sessions: z.array(z.object({ id: z.string(), turn: z.string(), agentState: z.string(), pid: z.int().optional() })),
  counters: z.record(z.string(), z.number()),
});

/** The content of `/api/status`, in the documented form. */
export async function readStatus(server: TestServer): Promise<z.infer<typeof Status>> {
  const response = await server.fetch("/api/status");
  return Status.parse(await response.json());
}

export async function agentPid(server: TestServer, id: string): Promise<number> {
  const { agents } = await readStatus(server);
  const pid = agents.find((agent) => agent.id === id)?.pid;
  if (pid == null) throw new Error(`no process of ${id}: ${Bun.inspect(agents)}`);
  return pid;
}

/** The states of one agent that a client received, in order. */
export function statusesOf(client: SocketClient, cliType: string, mark = 0): string[] {
  const told = client.all("agent:status", mark).filter((message) => message.cliType === cliType);
  return told.filter(({ requestId }) => requestId === undefined).map(({ status }) => status);
}
