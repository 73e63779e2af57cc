import { EntryId, type SessionId } from "../../src/protocol/ids.ts";
import { SEED_TIME } from "./next-commit.ts";
import { SeedStore } from "./seed-store.ts";

/** Writes a notice while no server runs: only a client that has caught up can show it. */
export async function writeUnseenNotice(dataDir: string, sessionId: SessionId, content: string): Promise<EntryId> {
  using store = SeedStore.of(dataDir);
  const entryId = EntryId.parse(content);
  store.commit(sessionId, await store.stateOf(sessionId), [
    { type: "session:update", entry: { entryId, type: "notice", severity: "info", content, timestamp: SEED_TIME } },
  ]);
  return entryId;
}
