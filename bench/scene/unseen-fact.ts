import { EntryId, type SessionId } from "../../src/protocol/ids.ts";
import { SEED_TIME, SeedStore } from "./seed-store.ts";

/** Writes a notice while no server runs: whoever shows it afterwards has caught up, and could not have guessed it. */
export async function writeUnseenNotice(dataDir: string, sessionId: SessionId, content: string): Promise<EntryId> {
  using store = SeedStore.of(dataDir);
  const entryId = EntryId.parse(content);
  store.commit(sessionId, await store.stateOf(sessionId), [
    { type: "session:update", entry: { entryId, type: "notice", severity: "info", content, timestamp: SEED_TIME } },
  ]);
  return entryId;
}
