import type { SearchRequest } from "../../src/protocol/search.ts";
import { LogWriter } from "./log-writer.ts";
import { BINDING, NOW, SESSION, sessionRow } from "./names.ts";
import { openStore, type TestStore } from "./open-store.ts";

export const NOW_MS = Date.parse(NOW);

export async function addSession(
  store: TestStore,
  id = SESSION,
  extra: Partial<ReturnType<typeof sessionRow>> = {},
): Promise<LogWriter> {
  await store.log.create({ ...sessionRow(id), ...extra }, BINDING, null);
  return new LogWriter(() => store.log, id);
}

/** A store with one session, and what can be found in it. */
export async function openSearch() {
  const store = await openStore();
  const writer = await addSession(store);
  const search = (query: string, filters: Partial<SearchRequest> = {}) =>
    store.search.search({ query, ...filters }, NOW_MS);
  const found = async (query: string, filters: Partial<SearchRequest> = {}): Promise<string[]> =>
    (await search(query, filters)).map(({ entryId, kind }) => entryId ?? kind);
  const rowsOf = (table: string) => Number(store.db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
  return Object.assign(store, { writer, find: search, found, rowsOf });
}
