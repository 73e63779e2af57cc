import { dirname } from "node:path";
import { importsOf } from "./imports-of.ts";
import { isProduct, type SourceFile } from "./source-file.ts";

/** Every file of these is public: shared vocabulary, interfaces and small tools. */
const OPEN = ["access", "client", "fanout", "lib", "ports", "presentation", "protocol", "ui"].map(
  (name) => `src/${name}`,
);

/**
 * The files of a folder that product code outside it may import. All others are private to the folder. Programs have no
 * public files. A folder within a listed folder may be listed too, when it has an entrance of its own.
 */
export const PUBLIC_FILES: Readonly<Record<string, readonly string[]>> = {
  "builtin-agent": [],
  "builtin-agent/model": ["ask-model.ts", "list-models.ts", "model-source.ts", "settings.ts"],
  "builtin-agent/scenarios": ["catalog.ts", "scenario.ts"],
  "builtin-agent/skills": ["catalog.ts", "skill.ts"],
  "src/agents": [
    "acp/mcp-servers.ts",
    "acp/sign-in-method.ts",
    "catalog/agent-catalog.ts",
    "catalog/agent-definition.ts",
    "catalog/agent-registry.ts",
    "client/client-files.ts",
    "holder/distant-process.ts",
    "holder/holder-files.ts",
    "holder/holder-host.ts",
    "holder/holder-socket.ts",
    "holder/launch-holder.ts",
    "install/agent-installer.ts",
    "install/fetch-package.ts",
    "install/installed-agents.ts",
    "install/probe-agent.ts",
    "install/replace-file.ts",
    "pool/agent-pool.ts",
    "pool/eviction.ts",
    "process/agent-environment.ts",
    "process/agent-process.ts",
    "process/lifeline.ts",
    "process/local-process-host.ts",
    "process/process-host.ts",
    "process/process-ledger.ts",
    "process/sign-in-terminals.ts",
    "process/sweep-leftovers.ts",
    "writers/local-session-writers.ts",
  ],
  "src/agents/holder": [
    "distant-process.ts",
    "holder-files.ts",
    "holder-host.ts",
    "holder-socket.ts",
    "launch-holder.ts",
  ],
  "src/bridge": [
    "access-control.ts",
    "answer-message.ts",
    "data-routes.ts",
    "http-server.ts",
    "own-hosts.ts",
    "page-files.ts",
    "standby-server.ts",
  ],
  "src/cli": [],
  "src/frame": [],
  "src/operations": [
    "agent-directory.ts",
    "agent-installs.ts",
    "agent-settings.ts",
    "backup/restore-backup.ts",
    "backup/write-backup.ts",
    "builtin-model.ts",
    "change-config-file.ts",
    "check-place.ts",
    "commands-by-place.ts",
    "config-file.ts",
    "config.ts",
    "copy-program.ts",
    "crash-reports.ts",
    "create-catalog.ts",
    "data-dir.ts",
    "data-maintenance.ts",
    "doctor/examine.ts",
    "doctor/finding.ts",
    "explain-start-failure.ts",
    "held-agents.ts",
    "held-terminals.ts",
    "install/installation.ts",
    "install/service.ts",
    "install/update.ts",
    "instance-lock.ts",
    "move-data.ts",
    "notices/notice-settings.ts",
    "notices/notices.ts",
    "notices/web-push.ts",
    "open-browser.ts",
    "open-postgres-stores.ts",
    "open-stores.ts",
    "own-program.ts",
    "place-settings.ts",
    "server-log.ts",
    "session-tools.ts",
    "sign-in.ts",
    "status-report.ts",
    "storage-guard.ts",
    "take-over.ts",
    "terminal-requests.ts",
    "terminals-by-place.ts",
    "test-agent.ts",
    "tls/prepare-tls.ts",
    "turn-counter.ts",
    "version.ts",
    "workdirs-by-place.ts",
    "worktrees-by-place.ts",
  ],
  "src/operations/doctor": ["examine.ts", "finding.ts"],
  "src/orchestration": ["orchestration.ts", "session-tokens.ts"],
  "src/orchestration/tools": ["catalog.ts"],
  "src/page": [],
  "src/places": [
    "contract.ts",
    "dial.ts",
    "fence.ts",
    "join-links.ts",
    "place-error.ts",
    "place-link.ts",
    "place-terminals.ts",
    "place.ts",
    "places.ts",
    "pod.ts",
    "pods.ts",
    "runner-certificates.ts",
    "runner.ts",
    "tool-calls.ts",
  ],
  "src/server": ["start-replica.ts", "start-server.ts"],
  "src/sessions": [
    "agent-options.ts",
    "answer.ts",
    "attempts.ts",
    "delegation/delegations.ts",
    "file-changes.ts",
    "inbox-items.ts",
    "limits/limit-resumer.ts",
    "policy/policy-service.ts",
    "running-limits.ts",
    "agent-questions.ts",
    "schedules/schedule-service.ts",
    "session-service.ts",
    "snippet-service.ts",
    "usage-reports.ts",
    "transfer/export/export-service.ts",
    "transfer/file-import.ts",
    "transfer/import-service.ts",
    "worktree-service.ts",
  ],
  "src/sessions/policy": ["policy-service.ts", "policy.ts", "read-command.ts"],
  "src/sessions/transfer/export": ["export-service.ts"],
  "src/store": [
    "database/copy-before-migration.ts",
    "database/database-care.ts",
    "database/foreign-schema.ts",
    "database/open-database.ts",
    "database/storage-watch.ts",
    "import-legacy-files.ts",
    "migrations.ts",
    "move/move-database.ts",
    "postgres/api-token-store.ts",
    "postgres/branch-store.ts",
    "postgres/choices.ts",
    "postgres/connection-settings.ts",
    "postgres/database-care.ts",
    "postgres/database-faults.ts",
    "postgres/database.ts",
    "postgres/delegation-store.ts",
    "postgres/device-store.ts",
    "postgres/hook-store.ts",
    "postgres/migrations.ts",
    "postgres/notice-store.ts",
    "postgres/ownership.ts",
    "postgres/people-store.ts",
    "postgres/policy-store.ts",
    "postgres/pooler.ts",
    "postgres/project-store.ts",
    "postgres/push-store.ts",
    "postgres/replica.ts",
    "postgres/schedule-store.ts",
    "postgres/search-backlog.ts",
    "postgres/search-index.ts",
    "postgres/session-log.ts",
    "postgres/snippet-store.ts",
    "postgres/storage.ts",
    "postgres/transfer-store.ts",
    "postgres/usage-store.ts",
    "search/search-backlog.ts",
    "search/sqlite-search-index.ts",
    "session-log/sqlite-session-log.ts",
    "sqlite-api-token-store.ts",
    "sqlite-choices.ts",
    "sqlite-delegation-store.ts",
    "sqlite-device-store.ts",
    "sqlite-hook-store.ts",
    "sqlite-notice-store.ts",
    "sqlite-people-store.ts",
    "sqlite-policy-store.ts",
    "sqlite-schedule-store.ts",
    "sqlite-snippet-store.ts",
    "sqlite-push-store.ts",
    "sqlite-usage-store.ts",
    "sqlite-project-store.ts",
    "sqlite-branch-store.ts",
    "sqlite-transfer-store.ts",
  ],
  "src/store/session-log": [
    "frame-cache.ts",
    "known-columns.ts",
    "permission-records.ts",
    "session-columns.ts",
    "sqlite-session-log.ts",
    "stored-outputs.ts",
    "usage-records.ts",
  ],
  "src/terminals": ["held-terminals.ts"],
  "src/workspace": [
    "commands/command-records.ts",
    "commands/local-command-machine.ts",
    "commands/project-commands.ts",
    "commands/services.ts",
    "directory-listing.ts",
    "file-search.ts",
    "git/run-git.ts",
    "housekeeping.ts",
    "list-files.ts",
    "merging/merging.ts",
    "merging/radar.ts",
    "project-service.ts",
    "project-tools.ts",
    "real-paths.ts",
    "typed-directory.ts",
    "vault-bundles.ts",
    "workdirs.ts",
    "worktrees/local-worktrees.ts",
  ],
};

interface Violations {
  /** Imports of private files from outside their folder. */
  readonly imports: readonly string[];
  /** Entries of the table that no longer hold, and folders it does not have. */
  readonly entries: readonly string[];
}

export function publicFileViolations(files: readonly SourceFile[], publicFiles = PUBLIC_FILES): Violations {
  const product = files.filter(({ path }) => isProduct(path));
  const used = new Set<string>();
  const imports = product.flatMap((file) =>
    importsOf(file).flatMap(({ target = "", place }) =>
      listedFolders(target, publicFiles)
        .filter((folder) => !file.path.startsWith(`${folder}/`))
        .flatMap((folder) => {
          const name = target.slice(folder.length + 1);
          used.add(`${folder} ${name}`);
          if (publicFiles[folder]?.includes(name)) return [];
          const remedy = "Use a public file of that folder, or add it to tests/architecture/public-files.ts";
          return [`${place}: ${target} is private to ${folder}. ${remedy}`];
        }),
    ),
  );
  const stale = Object.entries(publicFiles).flatMap(([folder, names]) =>
    names
      .filter((name) => !used.has(`${folder} ${name}`))
      .map((name) => `${folder}/${name} is imported by nothing outside ${folder}: remove it from the table`),
  );
  const tops = new Set(product.map(({ path }) => topFolder(path)));
  const unknown = [...tops].filter((folder) => publicFiles[folder] === undefined && !OPEN.includes(folder));
  return {
    imports,
    entries: [...stale, ...unknown.map((folder) => `${folder}: list its public files, or add it to the open folders`)],
  };
}

function listedFolders(target: string, publicFiles: Readonly<Record<string, readonly string[]>>): string[] {
  const parts = dirname(target).split("/");
  return parts
    .map((_, index) => parts.slice(0, index + 1).join("/"))
    .filter((folder) => publicFiles[folder] !== undefined);
}

function topFolder(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first === "src" ? `src/${second}` : first;
}
