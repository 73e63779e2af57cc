import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { Draft, Drafts } from "../../ports/session-log.ts";
import { Part } from "../../protocol/entry.ts";
import type { SessionId } from "../../protocol/ids.ts";

const StoredParts = z.array(Part);

/** The draft of each session. */
export class SqliteDrafts implements Drafts {
  readonly #read;
  readonly #attachments;
  readonly #save;
  readonly #attach;

  constructor(db: DatabaseSync) {
    this.#read = db.prepare("SELECT draft FROM session WHERE id = ?");
    this.#attachments = db.prepare(
      "SELECT json FROM draft_attachments WHERE session_key = (SELECT key FROM session WHERE id = ?)",
    );
    this.#save = db.prepare("UPDATE session SET draft = ? WHERE id = ?");
    this.#attach = db.prepare(
      `INSERT INTO draft_attachments (session_key, json) SELECT key, ? FROM session WHERE id = ?
         ON CONFLICT (session_key) DO UPDATE SET json = excluded.json`,
    );
  }

  async read(sessionId: SessionId): Promise<Draft> {
    const content = String(this.#read.get(sessionId)?.["draft"] ?? "");
    const row = this.#attachments.get(sessionId);
    return { content, attachments: row ? StoredParts.parse(JSON.parse(String(row["json"]))) : [] };
  }

  async save(sessionId: SessionId, content: string, attachments?: readonly Part[]): Promise<void> {
    this.#save.run(content, sessionId);
    if (attachments) this.#attach.run(JSON.stringify(attachments), sessionId);
  }
}
