import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { Fact } from "../../protocol/facts.ts";
import type { Json } from "../../protocol/json.ts";
import { PermissionOption, type PermissionToolCall } from "../../protocol/session-parts.ts";

/** Longer values are content, which no rule reads. */
const VALUE_CHARS_KEPT_MAX = 8_000;
export const Options = z.array(PermissionOption);

type Request = Extract<Fact, { type: "permission:request" }>;
type Resolved = Extract<Fact, { type: "permission:resolved" }>;

/** Records every request and its end; facts are deleted eventually, this record is not. */
export class PermissionRecords {
  readonly #insert;
  readonly #options;
  readonly #answer;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(
      "INSERT OR IGNORE INTO permission_record (session_key, permission_id, asked_at, tool_call, options) VALUES (?, ?, ?, ?, ?)",
    );
    this.#options = db.prepare("SELECT options FROM permission_record WHERE session_key = ? AND permission_id = ?");
    this.#answer = db.prepare(
      `UPDATE permission_record SET answered = ?, answered_by = ?, answered_at = ?, why = ?
       WHERE session_key = ? AND permission_id = ? AND answered IS NULL`,
    );
  }

  /** Must be called with every fact, in the transaction that stores it. */
  note(sessionKey: number, fact: Fact): void {
    if (fact.type === "permission:request") this.#asked(sessionKey, fact);
    else if (fact.type === "permission:resolved") this.#resolved(sessionKey, fact);
  }

  #asked(sessionKey: number, { permissionId, askedAt, toolCall, options }: Request): void {
    this.#insert.run(sessionKey, permissionId, askedAt, JSON.stringify(keptOf(toolCall)), JSON.stringify(options));
  }

  #resolved(sessionKey: number, fact: Resolved): void {
    const row = this.#options.get(sessionKey, fact.permissionId);
    if (!row) return;
    const { answered, by, at, why } = answerOf(fact, Options.parse(JSON.parse(String(row["options"]))));
    this.#answer.run(answered, by, at, why, sessionKey, fact.permissionId);
  }
}

/** How a request ended, for the record. Pure. */
export function answerOf({ outcome, by, why, at }: Resolved, options: readonly PermissionOption[]) {
  const chosen = outcome.outcome === "selected" && options.find(({ optionId }) => optionId === outcome.optionId);
  const answered = !chosen ? "cancelled" : chosen.kind.startsWith("reject") ? "denied" : "allowed";
  return { answered, by: by ?? (chosen ? "user" : null), at: at ?? null, why: why ?? null };
}

/** What the record keeps of a call: no content. Pure. */
export function keptOf({ toolCallId, name, kind, input, parts, locations }: PermissionToolCall): PermissionToolCall {
  const diffs = parts?.flatMap((part) => (part.type === "diff" ? [{ ...part, oldText: null, newText: "" }] : []));
  return {
    toolCallId,
    name,
    ...(kind !== undefined && { kind }),
    ...(input !== undefined && { input: withoutLongValues(input) }),
    ...(diffs !== undefined && { parts: diffs }),
    ...(locations !== undefined && { locations }),
  };
}

function withoutLongValues(input: Json): Json {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return JSON.stringify(input).length > VALUE_CHARS_KEPT_MAX ? null : input;
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => JSON.stringify(value).length <= VALUE_CHARS_KEPT_MAX),
  );
}
