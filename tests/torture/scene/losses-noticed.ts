import { z } from "zod";
import { waitFor } from "../../support/wait-for.ts";
import type { TortureServer } from "./torture-server.ts";

const HOLDER = "agents/holder/main.ts";
const Status = z.object({
  agents: z.array(z.object({ id: z.string(), pid: z.int().nullable() })),
  /** One that has a process of its own has its pid, too. */
  sessions: z.array(z.object({ id: z.string(), pid: z.int().optional() })),
});

/**
 * Until the server counts no agent as running that was killed: what is said to such a one goes down with it, and belongs to
 * the round in which it was killed.
 */
export async function lossesNoticed(server: TortureServer): Promise<void> {
  await waitFor(
    () => deadAgents(server),
    (dead) => dead.length === 0,
    "the server to notice which agents are gone",
  );
}

async function deadAgents({ port, token, processes }: TortureServer): Promise<string[]> {
  const headers = { Authorization: `Bearer ${token}` };
  const status = await fetch(`http://127.0.0.1:${port}/api/status`, { headers });
  const { agents, sessions } = Status.parse(await status.json());
  const byPid = new Map([...sessions, ...agents].map(({ id, pid }) => [pid, { id, pid }]));
  const running = [...byPid.values()].filter(({ pid }) => typeof pid === "number");
  const alive = processes.alive();
  const holders = alive.filter(({ commandLine }) => commandLine.includes(HOLDER));
  // An agent outlives its holder by a moment, and hears nobody any more.
  if (holders.length < running.length) return running.map(({ id }) => id);
  return running.filter((agent) => !alive.some(({ pid }) => pid === agent.pid)).map(({ id }) => id);
}
