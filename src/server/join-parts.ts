import { shownToolServer } from "../operations/config-file.ts";
import { DataMaintenance } from "../operations/data-maintenance.ts";
import { ProjectService } from "../workspace/project-service.ts";
import { ProjectTools } from "../workspace/project-tools.ts";
import { connectionDeps } from "./connection-deps.ts";
import { createPolicy } from "./create-policy.ts";
import { createPool } from "./create-pool.ts";
import { createSessions } from "./create-sessions.ts";
import { createTransfers } from "./create-transfers.ts";
import { endings } from "./endings.ts";
import type { Foundation } from "./open-foundation.ts";
import { Orchestration } from "./orchestration.ts";
import { SignIn } from "./sign-in.ts";
import { takeOver } from "./take-over.ts";

/** Everything behind the socket, joined, and gone on with where the last server stopped. */
export async function joinParts(foundation: Foundation) {
  const { config, world, file, stores, guard, hub } = foundation;
  const { home } = config;
  const orchestration = new Orchestration({ ...foundation, settings: file.orchestration });
  const tools = new ProjectTools({ servers: file.mcpServers.map(shownToolServer), choices: stores.toolChoices });
  const agents = createPool({ ...foundation, flow: guard.flow, ownTools: orchestration.ownTools, tools });
  const { pool } = agents;
  const projects = new ProjectService({ world, store: stores.projects, home });
  const policy = createPolicy({
    ...foundation,
    permissions: file.permissions,
    hasOwnTools: (cliType) =>
      file.orchestration.offered &&
      !file.agents.some(({ id, orchestration: takes }) => id === cliType && takes === false),
  });
  const sessions = createSessions({ ...foundation, pool, policy, orchestration });
  guard.tell(hub, sessions);
  orchestration.join({ sessions, policy, projects, agents: () => pool.list() });
  await takeOver({ ...foundation, ...agents, sessions });
  const parts = {
    ...foundation,
    ...agents,
    orchestration,
    tools,
    projects,
    sessions,
    transfers: createTransfers({ ...foundation, pool, policy }),
    signIn: new SignIn({ ...foundation, pool, sessions, home }),
  };
  return { ...parts, ...endings(parts), data: new DataMaintenance(parts), connection: connectionDeps(parts) };
}
