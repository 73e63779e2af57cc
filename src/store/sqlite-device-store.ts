import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { DeviceStore, StoredDevice } from "../ports/device-store.ts";

const Row = z.object({
  id: z.string(),
  secret_hash: z.string(),
  token_mark: z.string(),
  name: z.string(),
  created_at: z.string(),
  last_seen_at: z.string(),
  revoked: z.int(),
});

export class SqliteDeviceStore implements DeviceStore {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  list(): readonly StoredDevice[] {
    return this.#db.prepare("SELECT * FROM device ORDER BY created_at, id").all().map(deviceFrom);
  }

  put({ id, secretHash, tokenMark, name, createdAt, lastSeenAt, isRevoked }: StoredDevice): void {
    this.#db
      .prepare(
        `INSERT INTO device (id, secret_hash, token_mark, name, created_at, last_seen_at, revoked)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET secret_hash = excluded.secret_hash, token_mark = excluded.token_mark,
           name = excluded.name, last_seen_at = excluded.last_seen_at, revoked = excluded.revoked`,
      )
      .run(id, secretHash, tokenMark, name, createdAt, lastSeenAt, isRevoked ? 1 : 0);
  }

  delete(id: string): void {
    this.#db.prepare("DELETE FROM device WHERE id = ?").run(id);
  }
}

function deviceFrom(row: unknown): StoredDevice {
  const { id, secret_hash, token_mark, name, created_at, last_seen_at, revoked } = Row.parse(row);
  return {
    id,
    secretHash: secret_hash,
    tokenMark: token_mark,
    name,
    createdAt: created_at,
    lastSeenAt: last_seen_at,
    isRevoked: revoked !== 0,
  };
}
