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
  "builtin-agent/model": ["ask-model.ts", "orchestrator.ts", "settings.ts"],
  "builtin-agent/scenarios": ["catalog.ts", "scenario.ts"],
  "builtin-agent/skills": ["catalog.ts", "skill.ts"],
  "src/agents": [
    "acp/mcp-servers.ts",
    "acp/sign-in-method.ts",
    "catalog/agent-catalog.ts",
    "catalog/agent-definition.ts",
    "catalog/agent-registry.ts",
    "holder/holder-host.ts",
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
  ],
  "src/agents/holder": ["holder-host.ts"],
  "src/bridge": [
    "access-control.ts",
    "answer-message.ts",
    "data-routes.ts",
    "http-server.ts",
    "own-hosts.ts",
    "page-files.ts",
  ],
  "src/cli": [],
  "src/frame": [],
  "src/operations": [
    "agent-directory.ts",
    "agent-installs.ts",
    "backup/restore-backup.ts",
    "backup/write-backup.ts",
    "config-file.ts",
    "config.ts",
    "crash-reports.ts",
    "create-catalog.ts",
    "data-dir.ts",
    "data-maintenance.ts",
    "doctor/examine.ts",
    "doctor/finding.ts",
    "explain-start-failure.ts",
    "held-agents.ts",
    "instance-lock.ts",
    "open-browser.ts",
    "open-stores.ts",
    "server-log.ts",
    "sign-in.ts",
    "status-report.ts",
    "storage-guard.ts",
    "take-over.ts",
    "tls/prepare-tls.ts",
    "version.ts",
  ],
  "src/operations/doctor": ["examine.ts", "finding.ts"],
  "src/orchestration": ["orchestration.ts", "session-tokens.ts"],
  "src/orchestration/tools": ["catalog.ts"],
  "src/page": [],
  "src/server": ["start-server.ts"],
  "src/sessions": [
    "answer.ts",
    "delegation/delegations.ts",
    "inbox-items.ts",
    "policy/policy-service.ts",
    "agent-questions.ts",
    "session-service.ts",
    "transfer/export/export-service.ts",
    "transfer/file-import.ts",
    "transfer/import-service.ts",
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
    "search/search-backlog.ts",
    "search/sqlite-search-index.ts",
    "session-log/sqlite-session-log.ts",
    "sqlite-choices.ts",
    "sqlite-delegation-store.ts",
    "sqlite-device-store.ts",
    "sqlite-policy-store.ts",
    "sqlite-project-store.ts",
    "sqlite-transfer-store.ts",
  ],
  "src/store/session-log": ["sqlite-session-log.ts"],
  "src/workspace": ["file-search.ts", "project-service.ts", "project-tools.ts", "real-paths.ts"],
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
