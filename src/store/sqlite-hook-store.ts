import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { HookStore, StoredHook } from "../ports/hook-store.ts";
import { ShownHook } from "../protocol/incoming-hooks.ts";

const Row = z.object({ secret_hash: z.string(), definition: z.string() });

export class SqliteHookStore implements HookStore {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async list(): Promise<readonly StoredHook[]> {
    return this.#db
      .prepare("SELECT * FROM hook ORDER BY name")
      .all()
      .map((row) => {
        const { secret_hash, definition } = Row.parse(row);
        return { hook: ShownHook.parse(JSON.parse(definition)), secretHash: secret_hash };
      });
  }

  async put({ hook, secretHash }: StoredHook): Promise<void> {
    this.#db
      .prepare("INSERT OR REPLACE INTO hook (name, secret_hash, definition) VALUES (?, ?, ?)")
      .run(hook.name, secretHash, JSON.stringify(hook));
  }

  async delete(name: string): Promise<void> {
    this.#db.prepare("DELETE FROM hook WHERE name = ?").run(name);
  }
}
