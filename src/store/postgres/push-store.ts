import type { PushStore, PushSubscription } from "../../ports/push-store.ts";
import type { Queries } from "./database.ts";

export class PostgresPushStore implements PushStore {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async list(): Promise<readonly PushSubscription[]> {
    const rows = await this.#db.rows(
      "SELECT endpoint, device_id, public_key, auth FROM push_subscription ORDER BY created_at, endpoint",
    );
    return rows.map((row) => ({
      endpoint: String(row["endpoint"]),
      deviceId: String(row["device_id"]),
      publicKey: String(row["public_key"]),
      auth: String(row["auth"]),
    }));
  }

  async put({ endpoint, deviceId, publicKey, auth }: PushSubscription, at: string): Promise<void> {
    await this.#db.run(
      `INSERT INTO push_subscription (endpoint, device_id, public_key, auth, created_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (endpoint) DO UPDATE SET device_id = excluded.device_id, public_key = excluded.public_key,
         auth = excluded.auth, created_at = excluded.created_at`,
      [endpoint, deviceId, publicKey, auth, at],
    );
  }

  async remove(endpoint: string): Promise<void> {
    await this.#db.run("DELETE FROM push_subscription WHERE endpoint = $1", [endpoint]);
  }
}
