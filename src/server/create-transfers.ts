import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { Hub } from "../fanout/hub.ts";
import type { World } from "../ports/world.ts";
import type { PolicyService } from "../sessions/policy/policy-service.ts";
import { ImportService } from "../sessions/transfer/import-service.ts";
import { DiskRealPaths } from "../workspace/real-paths.ts";
import type { openStores } from "./open-stores.ts";

interface TransferParts {
  readonly world: World;
  readonly stores: ReturnType<typeof openStores>;
  readonly pool: AgentPool;
  readonly policy: PolicyService;
  readonly hub: Hub;
  readonly onError: (error: unknown) => void;
}

/** How sessions come in and go out. */
export function createTransfers({ world, stores, pool, policy, hub, onError }: TransferParts) {
  const { projects, transfers: store } = stores;
  const paths = new DiskRealPaths();
  const publish = hub.publish.bind(hub);
  return new ImportService({
    ...{ world, store, projects, agents: pool, histories: pool, policy, paths, publish, onError },
  });
}
