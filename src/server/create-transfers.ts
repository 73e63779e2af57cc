import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { Hub } from "../fanout/hub.ts";
import type { openStores } from "../operations/open-stores.ts";
import type { World } from "../ports/world.ts";
import type { PolicyService } from "../sessions/policy/policy-service.ts";
import { ExportService } from "../sessions/transfer/export/export-service.ts";
import { FileImport } from "../sessions/transfer/file-import.ts";
import { ImportService } from "../sessions/transfer/import-service.ts";
import { DiskRealPaths } from "../workspace/real-paths.ts";

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
  const { log, projects, transfers: store } = stores;
  const paths = new DiskRealPaths();
  const publish = hub.publish.bind(hub);
  const parts = { world, log, store, projects, agents: pool, policy, publish };
  return {
    imports: new ImportService({ ...parts, histories: pool, paths, onError }),
    fileImport: new FileImport(parts),
    exports: new ExportService(parts),
  };
}
