import { z } from "zod";
import type { DataDoor, Deleted, Kept } from "../bridge/data-routes.ts";
import type { Hub } from "../fanout/hub.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { ProjectService } from "../workspace/project-service.ts";
import { SECRET_VARIABLES, type ServerConfig } from "./config.ts";
import type { ServerStores } from "./open-stores.ts";
import { ownCommand } from "./own-program.ts";

export const BACKUP_OF_POSTGRES =
  "The data is in PostgreSQL (LIMINAL_DATABASE_URL): back it up with the tools of that database, for example pg_dump or pg_basebackup.";

/** Search data of deleted sessions is removed in small steps; this many run before the database shrinks. */
const SWEEP_STEPS_MAX = 2_000;

const Written = z.object({ path: z.string(), bytes: z.int(), sessions: z.int() });
const Failed = z.object({ error: z.object({ message: z.string() }) });

interface DataMaintenanceParts {
  readonly config: ServerConfig;
  readonly stores: ServerStores;
  readonly sessions: SessionService;
  readonly projects: ProjectService;
  readonly hub: Hub;
}

/** The user's operations on all data. Project files are never touched. */
export class DataMaintenance implements DataDoor {
  readonly #parts: DataMaintenanceParts;
  #backingUp: Promise<Kept> | null = null;

  constructor(parts: DataMaintenanceParts) {
    this.#parts = parts;
  }

  /** One at a time: concurrent callers share the result. */
  backUp(): Promise<Kept> {
    this.#backingUp ??= this.#runBackup().finally(() => {
      this.#backingUp = null;
    });
    return this.#backingUp;
  }

  sessionIds(): Promise<readonly SessionId[]> {
    return this.#parts.stores.care.sessionIds("all");
  }

  async delete(which: "archived" | "everything"): Promise<Deleted> {
    const { stores, sessions, projects, hub } = this.#parts;
    const refusal = stores.storage.refusal();
    if (refusal) return { error: refusal.message };
    const ids = await stores.care.sessionIds(which === "archived" ? "archived" : "all");
    for (const sessionId of ids) await sessions.execute({ type: "session:delete", sessionId });
    if (which === "everything")
      for (const { id } of projects.list())
        if (await projects.remove(id)) hub.publish({ type: "project:removed", projectId: id });
    for (let step = 0; step < SWEEP_STEPS_MAX && (await stores.backlog.step()); step++);
    return { sessions: ids.length, freedBytes: await stores.care.compact() };
  }

  /** In a separate process: copying a large database blocks nothing. */
  async #runBackup(): Promise<Kept> {
    const { env, dataDir, databaseUrl } = this.#parts.config;
    if (databaseUrl !== null) return { error: BACKUP_OF_POSTGRES };
    const own = Object.entries(env).filter(([name]) => !SECRET_VARIABLES.some((secret) => secret === name));
    const child = Bun.spawn([...ownCommand("liminal", "backup", "--json")], {
      cwd: dataDir,
      env: { ...Object.fromEntries(own), LIMINAL_DATA_DIR: dataDir },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    const said = parseJson(await new Response(child.stdout).text());
    const written = Written.safeParse(said);
    if (written.success) return written.data;
    return {
      error:
        Failed.safeParse(said).data?.error.message ?? "The backup failed without an error message. Try: liminal backup",
    };
  }
}
