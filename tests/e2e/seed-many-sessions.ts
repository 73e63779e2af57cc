import { join } from "node:path";
import { CliType, ProjectId, SessionId } from "../../src/protocol/ids.ts";
import { openDatabase } from "../../src/store/database/open-database.ts";
import { SqliteSessionLog } from "../../src/store/session-log/sqlite-session-log.ts";
import { SqliteProjectStore } from "../../src/store/sqlite-project-store.ts";
import { LogWriter } from "../core/log-writer.ts";
import { BINDING, sessionRow } from "../core/names.ts";

interface ManySessions {
  readonly projects: number;
  readonly sessionsEach: number;
  /** Where the agents would work. */
  readonly path: string;
}

/** Writes projects with sessions as a server would have, before there is one: `project 0` with `task 0.0`, `task 0.1` and so on. */
export async function seedManySessions(dataDir: string, { projects, sessionsEach, path }: ManySessions): Promise<void> {
  const { db } = openDatabase(join(dataDir, "liminal.db"), "seed");
  const log = new SqliteSessionLog(db);
  const store = new SqliteProjectStore(db);
  db.exec("PRAGMA synchronous = OFF"); // no reader depends on it yet
  for (let p = 0; p < projects; p += 1) {
    const projectId = ProjectId.parse(`p${p}`);
    const addedAt = `2026-01-01T00:00:${String(p).padStart(2, "0")}.000Z`;
    await store.add({ id: projectId, path: join(path, String(p)), name: `project ${p}`, addedAt });
    for (let s = 0; s < sessionsEach; s += 1) {
      const id = SessionId.parse(`builtin:seed-${p}-${s}`);
      const title = `task ${p}.${s}`;
      const row = { ...sessionRow(id), projectId, cliType: CliType.parse("builtin"), title };
      await log.create(row, { ...BINDING, cwd: join(path, String(p)) }, null);
      await new LogWriter(() => log, id).write([{ type: "session:title-updated", title, source: "user" }]);
    }
  }
  db.close();
}
