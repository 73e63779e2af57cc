import { z } from "zod/mini";
import type { Draft, Drafts } from "../../ports/session-log.ts";
import { Part } from "../../protocol/entry.ts";
import type { SessionId } from "../../protocol/ids.ts";
import type { PostgresDatabase } from "./database.ts";

const StoredParts = z.array(Part);

/** The draft of each session. */
export class PostgresDrafts implements Drafts {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async read(sessionId: SessionId): Promise<Draft> {
    const row = await this.#db.row(
      `SELECT draft, json FROM session LEFT JOIN draft_attachments ON draft_attachments.session_key = session.key
       WHERE session.id = $1`,
      [sessionId],
    );
    const json = row?.["json"];
    return {
      content: String(row?.["draft"] ?? ""),
      attachments: typeof json === "string" ? StoredParts.parse(JSON.parse(json)) : [],
    };
  }

  async save(sessionId: SessionId, content: string, attachments?: readonly Part[]): Promise<void> {
    await this.#db.transaction(async (tx) => {
      await tx.run("UPDATE session SET draft = $1 WHERE id = $2", [content, sessionId]);
      if (!attachments) return;
      await tx.run(
        `INSERT INTO draft_attachments (session_key, json) SELECT key, $1 FROM session WHERE id = $2
         ON CONFLICT (session_key) DO UPDATE SET json = excluded.json`,
        [JSON.stringify(attachments), sessionId],
      );
    });
  }
}
