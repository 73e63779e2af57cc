import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Team } from "../../tests/lifecycle/team.ts";
import { Sshd } from "../../tests/places/sshd.ts";
import { watchProcesses } from "../../tests/support/leftover-processes.ts";
import type { PostgresPair } from "../../tests/support/postgres-pair.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { TestServer } from "../../tests/support/test-server.ts";
import type { BenchServer } from "./start-server.ts";
import { STAMPING_AGENT, STAMPING_AGENT_COMMAND } from "./start-server.ts";

/** No idle agent is stopped. */
const POOL = { idleMs: 1_800_000, processesMax: 500 };
/** A directory at the place of a team's agents. */
export const AT_THE_PLACE = "box:~/app";

/** Servers on one database, with the stamping agent at a place behind a real SSH server. */
export interface BenchTeam extends AsyncDisposable {
  readonly team: Team;
  /** The one that works first, then those that stand by. */
  readonly servers: readonly TestServer[];
}

export async function openTeam(pair: PostgresPair, size: number): Promise<BenchTeam> {
  await using unwind = new AsyncDisposableStack();
  const dir = unwind.use(await tempDir());
  const far = dir.join("far");
  mkdirSync(far);
  // Agents outlive the servers of a team; these are ended with it.
  const processes = unwind.use(watchProcesses());
  const env = { PATH: process.env["PATH"] ?? "", LIMINAL_RUNNER_DIR: dir.join("r"), ...processes.env };
  const sshd = unwind.use(await Sshd.start({ ...env, HOME: far }));
  const [command, ...args] = STAMPING_AGENT_COMMAND;
  const agents = { [STAMPING_AGENT]: { name: "Stamping agent", command, args } };
  const team = unwind.use(
    await Team.start(pair, { size, agents, config: { pool: POOL }, through: [join(sshd.bin, "ssh"), "-T", "box"] }),
  );
  const worker = await team.worker();
  const servers = [worker, ...team.servers.filter((server) => server !== worker)];
  for (const server of servers) (await team.connect(server))[Symbol.dispose]();
  const parts = unwind.move();
  return { team, servers, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Where a client of this server connects. */
export function addressOf({ port, token }: TestServer): Pick<BenchServer, "socketUrl" | "port"> {
  return { port, socketUrl: `ws://127.0.0.1:${port}/ws?token=${token}` };
}
