import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { DeviceStore, StoredDevice } from "../ports/device-store.ts";
import { PersonId } from "../protocol/person-ref.ts";

const Row = z.object({
  id: z.string(),
  secret_hash: z.string(),
  token_mark: z.string(),
  name: z.string(),
  created_at: z.string(),
  last_seen_at: z.string(),
  revoked: z.int(),
  person_id: z.nullable(PersonId),
});

export class SqliteDeviceStore implements DeviceStore {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async list(): Promise<readonly StoredDevice[]> {
    return this.#db.prepare("SELECT * FROM device ORDER BY created_at, id").all().map(deviceFrom);
  }

  async put(device: StoredDevice): Promise<void> {
    const { id, secretHash, tokenMark, name, createdAt, lastSeenAt, isRevoked, personId } = device;
    this.#db
      .prepare(
        `INSERT INTO device (id, secret_hash, token_mark, name, created_at, last_seen_at, revoked, person_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET secret_hash = excluded.secret_hash, token_mark = excluded.token_mark,
           name = excluded.name, last_seen_at = excluded.last_seen_at, revoked = excluded.revoked,
           person_id = excluded.person_id`,
      )
      .run(id, secretHash, tokenMark, name, createdAt, lastSeenAt, isRevoked ? 1 : 0, personId);
  }

  async delete(id: string): Promise<void> {
    this.#db.prepare("DELETE FROM device WHERE id = ?").run(id);
  }
}

function deviceFrom(row: unknown): StoredDevice {
  const { id, secret_hash, token_mark, name, created_at, last_seen_at, revoked, person_id } = Row.parse(row);
  return {
    id,
    secretHash: secret_hash,
    tokenMark: token_mark,
    name,
    createdAt: created_at,
    lastSeenAt: last_seen_at,
    isRevoked: revoked !== 0,
    personId: person_id,
  };
}
