import type { DataDir } from "../operations/data-dir.ts";
import type { openStores } from "../operations/open-stores.ts";
import type { World } from "../ports/world.ts";
import type { CliType } from "../protocol/ids.ts";
import type { PermissionMode } from "../protocol/permission-policy.ts";
import { PolicyService } from "../sessions/policy/policy-service.ts";
import { DiskRealPaths } from "../workspace/real-paths.ts";

interface PolicyParts {
  readonly world: World;
  readonly stores: ReturnType<typeof openStores>;
  /** What sessions of an agent start with, where that is not to ask. */
  readonly permissions: ReadonlyMap<CliType, PermissionMode>;
  readonly dataDir: DataDir;
  readonly hasOwnTools: (cliType: CliType) => boolean;
}

export function createPolicy({ world, stores, permissions, dataDir, hasOwnTools }: PolicyParts): PolicyService {
  return new PolicyService({
    ...{ world, log: stores.log, projects: stores.projects, store: stores.policies },
    paths: new DiskRealPaths(),
    startingMode: (cliType) => permissions.get(cliType) ?? null,
    hasOwnTools,
    guarded: [dataDir.path],
  });
}
