import { join } from "node:path";
import { z } from "zod";
import type { DataDoor, Deleted, Kept } from "../bridge/data-routes.ts";
import type { Hub } from "../fanout/hub.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { ProjectService } from "../workspace/project-service.ts";
import { SECRET_VARIABLES, type ServerConfig } from "./config.ts";
import type { openStores } from "./open-stores.ts";
import { PROGRAM_DIR } from "./version.ts";

/** What a deleted session leaves in the search goes in small steps; so many are taken before the database shrinks. */
const SWEEP_STEPS_MAX = 2_000;

const Written = z.object({ path: z.string(), bytes: z.int(), sessions: z.int() });
const Failed = z.object({ error: z.object({ message: z.string() }) });

interface DataMaintenanceParts {
  readonly config: ServerConfig;
  readonly stores: Awaited<ReturnType<typeof openStores>>;
  readonly sessions: SessionService;
  readonly projects: ProjectService;
  readonly hub: Hub;
}

/** What the user does with everything at once. Files of projects are never touched. */
export class DataMaintenance implements DataDoor {
  readonly #parts: DataMaintenanceParts;
  #backingUp: Promise<Kept> | null = null;

  constructor(parts: DataMaintenanceParts) {
    this.#parts = parts;
  }

  /** One at a time: whoever asks meanwhile gets the same. */
  backUp(): Promise<Kept> {
    this.#backingUp ??= this.#runBackup().finally(() => {
      this.#backingUp = null;
    });
    return this.#backingUp;
  }

  sessionIds(): readonly SessionId[] {
    return this.#parts.stores.care.sessionIds("all");
  }

  async delete(which: "archived" | "everything"): Promise<Deleted> {
    const { stores, sessions, projects, hub } = this.#parts;
    const refusal = stores.storage.refusal();
    if (refusal) return { error: refusal.message };
    const ids = stores.care.sessionIds(which === "archived" ? "archived" : "all");
    for (const sessionId of ids) await sessions.execute({ type: "session:delete", sessionId });
    if (which === "everything")
      for (const { id } of projects.list())
        if (projects.remove(id)) hub.publish({ type: "project:removed", projectId: id });
    for (let step = 0; step < SWEEP_STEPS_MAX && stores.backlog.step(); step++);
    return { sessions: ids.length, freedBytes: stores.care.compact() };
  }

  /** A process of its own: copying a large database holds nobody up. */
  async #runBackup(): Promise<Kept> {
    const { env, dataDir } = this.#parts.config;
    const own = Object.entries(env).filter(([name]) => !SECRET_VARIABLES.some((secret) => secret === name));
    const child = Bun.spawn([process.execPath, join(PROGRAM_DIR, "src/cli/main.ts"), "backup", "--json"], {
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
