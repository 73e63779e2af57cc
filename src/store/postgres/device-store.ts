import { z } from "zod";
import type { DeviceStore, StoredDevice } from "../../ports/device-store.ts";
import { PersonId } from "../../protocol/person-ref.ts";
import type { Queries } from "./database.ts";

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

export class PostgresDeviceStore implements DeviceStore {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async list(): Promise<readonly StoredDevice[]> {
    return (await this.#db.rows("SELECT * FROM device ORDER BY created_at, id")).map(deviceFrom);
  }

  async put(device: StoredDevice): Promise<void> {
    const { id, secretHash, tokenMark, name, createdAt, lastSeenAt, isRevoked, personId } = device;
    await this.#db.run(
      `INSERT INTO device (id, secret_hash, token_mark, name, created_at, last_seen_at, revoked, person_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (id) DO UPDATE SET secret_hash = excluded.secret_hash, token_mark = excluded.token_mark,
         name = excluded.name, last_seen_at = excluded.last_seen_at, revoked = excluded.revoked,
         person_id = excluded.person_id`,
      [id, secretHash, tokenMark, name, createdAt, lastSeenAt, isRevoked ? 1 : 0, personId],
    );
  }

  async delete(id: string): Promise<void> {
    await this.#db.run("DELETE FROM device WHERE id = $1", [id]);
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
