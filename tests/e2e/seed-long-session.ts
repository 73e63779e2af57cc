import { join } from "node:path";
import type { Entry } from "../../src/protocol/entry.ts";
import { CliType, EntryId, ProjectId, SessionId } from "../../src/protocol/ids.ts";
import { openDatabase } from "../../src/store/database/open-database.ts";
import { SqliteSessionLog } from "../../src/store/session-log/sqlite-session-log.ts";
import { SqliteProjectStore } from "../../src/store/sqlite-project-store.ts";
import { LogWriter } from "../core/log-writer.ts";
import { BINDING, sessionRow } from "../core/names.ts";

const TURN_ENTRIES = 100;

interface LongSession {
  readonly title: string;
  readonly entryCount: number;
  /** The entry at a position, counted from the oldest. */
  readonly entryAt: (place: number) => Entry;
}

/** Writes a session with a history as a server would have, before there is one. */
export async function seedLongSession(
  dataDir: string,
  path: string,
  { title, entryCount, entryAt }: LongSession,
): Promise<SessionId> {
  const { db } = openDatabase(join(dataDir, "liminal.db"), "seed");
  const projectId = ProjectId.parse("long");
  await new SqliteProjectStore(db).add({ id: projectId, path, name: "long", addedAt: "2026-01-01T00:00:00.000Z" });
  const id = SessionId.parse(`builtin:${crypto.randomUUID()}`);
  const log = new SqliteSessionLog(db);
  await log.create(
    { ...sessionRow(id), projectId, cliType: CliType.parse("builtin"), title },
    { ...BINDING, cwd: path },
    null,
  );
  const writer = new LogWriter(() => log, id);
  await writer.write([{ type: "session:title-updated", title, source: "user" }]);
  for (let from = 0; from < entryCount; from += TURN_ENTRIES)
    await writer.writeTurn(
      ...Array.from({ length: Math.min(TURN_ENTRIES, entryCount - from) }, (_, at) => entryAt(from + at)),
    );
  db.close();
  return id;
}

export function answerAt(place: number, content: string): Entry {
  return { type: "assistant", entryId: EntryId.parse(`e${place}`), content, timestamp: "2026-01-01T00:00:00.000Z" };
}
