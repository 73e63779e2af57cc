import type { DatabaseSync } from "node:sqlite";
import type { PushStore, PushSubscription } from "../ports/push-store.ts";

export class SqlitePushStore implements PushStore {
  readonly #sql;

  constructor(db: DatabaseSync) {
    this.#sql = {
      list: db.prepare("SELECT endpoint, device_id, public_key, auth FROM push_subscription ORDER BY created_at"),
      put: db.prepare(
        `INSERT OR REPLACE INTO push_subscription (endpoint, device_id, public_key, auth, created_at)
         VALUES (?, ?, ?, ?, ?)`,
      ),
      remove: db.prepare("DELETE FROM push_subscription WHERE endpoint = ?"),
    };
  }

  async list(): Promise<readonly PushSubscription[]> {
    return this.#sql.list.all().map((row) => ({
      endpoint: String(row["endpoint"]),
      deviceId: String(row["device_id"]),
      publicKey: String(row["public_key"]),
      auth: String(row["auth"]),
    }));
  }

  async put({ endpoint, deviceId, publicKey, auth }: PushSubscription, at: string): Promise<void> {
    this.#sql.put.run(endpoint, deviceId, publicKey, auth, at);
  }

  async remove(endpoint: string): Promise<void> {
    this.#sql.remove.run(endpoint);
  }
}
