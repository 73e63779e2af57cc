import { z } from "zod";
import type { HookStore, StoredHook } from "../../ports/hook-store.ts";
import { ShownHook } from "../../protocol/incoming-hooks.ts";
import type { Queries } from "./database.ts";

const Row = z.object({ secret_hash: z.string(), definition: z.string() });

export class PostgresHookStore implements HookStore {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async list(): Promise<readonly StoredHook[]> {
    return (await this.#db.rows("SELECT secret_hash, definition FROM hook ORDER BY name")).map((row) => {
      const { secret_hash, definition } = Row.parse(row);
      return { hook: ShownHook.parse(JSON.parse(definition)), secretHash: secret_hash };
    });
  }

  async put({ hook, secretHash }: StoredHook): Promise<void> {
    await this.#db.run(
      `INSERT INTO hook (name, secret_hash, definition) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET secret_hash = excluded.secret_hash, definition = excluded.definition`,
      [hook.name, secretHash, JSON.stringify(hook)],
    );
  }

  async delete(name: string): Promise<void> {
    await this.#db.run("DELETE FROM hook WHERE name = $1", [name]);
  }
}
