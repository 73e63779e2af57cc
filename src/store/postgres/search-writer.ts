import type { Entry } from "../../protocol/entry.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { numbers, type Queries, texts } from "./database.ts";
import { searchableEntry, searchableTitle } from "./search-words.ts";

/** An entry that has settled. */
export interface IndexedEntry {
  readonly sessionKey: number;
  readonly entry: Entry;
  /** The time of an entry without its own. */
  readonly at: string | null;
}

interface Touched {
  readonly sessionKey: number;
  readonly entryId: string;
  readonly path: string;
}

/** The title is found from now on. Inside the caller's transaction, as all that follows. */
export async function indexTitle(tx: Queries, sessionKey: number, title: string): Promise<void> {
  const { entry_id, kind, text, words } = searchableTitle(title);
  await tx.run(
    `INSERT INTO search_text (session_key, entry_id, kind, text, words) VALUES ($1, $2, $3, $4, $5::text::tsvector)
     ON CONFLICT (session_key, entry_id) DO UPDATE SET text = excluded.text, words = excluded.words`,
    [sessionKey, entry_id, kind, text, words],
  );
}

/**
 * Entries that settled before all that is indexed, the newest first: their keys count downwards, so that the newest text
 * always has the highest key. Those that are indexed already stay as they are.
 */
export async function indexOlderEntries(tx: Queries, entries: readonly IndexedEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const searchable = entries.map(({ sessionKey, entry, at }) => {
    const row = searchableEntry(entry);
    return { sessionKey, ...row, at: row.at ?? at };
  });
  const added = await tx.rows(
    `INSERT INTO search_text (key, session_key, entry_id, kind, at, text, words)
     SELECT -nextval('search_older'), new.session_key, new.entry_id, new.kind, new.at, new.text, new.words::tsvector
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       AS new (session_key, entry_id, kind, at, text, words)
     ON CONFLICT (session_key, entry_id) DO NOTHING RETURNING session_key, entry_id`,
    [
      numbers(searchable.map(({ sessionKey }) => sessionKey)),
      texts(searchable.map(({ entry_id }) => entry_id)),
      texts(searchable.map(({ kind }) => kind)),
      texts(searchable.map(({ at }) => at)),
      texts(searchable.map(({ text }) => text)),
      texts(searchable.map(({ words }) => words)),
    ],
  );
  const isNew = new Set(added.map((row) => `${row["session_key"]} ${row["entry_id"]}`));
  await addFiles(
    tx,
    searchable.filter(({ sessionKey, entry_id }) => isNew.has(`${sessionKey} ${entry_id}`)).flatMap(filesOf),
  );
}

/** The session is about to go: what others have inherited from it is found in those from now on. */
export async function releaseInherited(tx: Queries, sessionId: SessionId): Promise<void> {
  await tx.run(
    `INSERT INTO search_backlog (session_key, before_position) SELECT key, next_position FROM session
     WHERE origin_id = $1 AND inherited > 0 ON CONFLICT DO NOTHING`,
    [sessionId],
  );
}

async function addFiles(tx: Queries, files: readonly Touched[]): Promise<void> {
  if (files.length === 0) return;
  await tx.run(
    `INSERT INTO search_file (session_key, entry_id, path)
     SELECT DISTINCT new.session_key, new.entry_id, new.path
     FROM unnest($1::bigint[], $2::text[], $3::text[]) AS new (session_key, entry_id, path)
     WHERE NOT EXISTS (SELECT 1 FROM search_file AS known WHERE known.session_key = new.session_key
       AND known.entry_id = new.entry_id AND known.path = new.path)`,
    [
      numbers(files.map(({ sessionKey }) => sessionKey)),
      texts(files.map(({ entryId }) => entryId)),
      texts(files.map(({ path }) => path)),
    ],
  );
}

function filesOf({
  sessionKey,
  entry_id: entryId,
  files,
}: {
  sessionKey: number;
  entry_id: string;
  files: readonly string[];
}): Touched[] {
  return files.map((path) => ({ sessionKey, entryId, path }));
}
