import { EntryId, type SessionId } from "../../src/protocol/ids.ts";
import { SEED_TIME, SeedStore } from "./seed-store.ts";

/** Writes a notice while no server runs: whoever shows it afterwards has caught up, and could not have guessed it. */
export function writeUnseenNotice(dataDir: string, sessionId: SessionId, content: string): EntryId {
  using store = SeedStore.of(dataDir);
  const entryId = EntryId.parse(content);
  store.commit(sessionId, store.stateOf(sessionId), [
    { type: "session:update", entry: { entryId, type: "notice", severity: "info", content, timestamp: SEED_TIME } },
  ]);
  return entryId;
}
