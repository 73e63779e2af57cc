import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { Fact } from "../../protocol/facts.ts";
import type { Json } from "../../protocol/json.ts";
import { PermissionOption, type PermissionToolCall } from "../../protocol/session-parts.ts";

/** Longer values are content, which no rule looks at. */
const VALUE_CHARS_KEPT_MAX = 8_000;
const Options = z.array(PermissionOption);

type Request = Extract<Fact, { type: "permission:request" }>;
type Resolved = Extract<Fact, { type: "permission:resolved" }>;

/** Writes down every request and its end; facts are dropped one day, this record is not. */
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

  /** To be told every fact, in the transaction that stores it. */
  note(sessionKey: number, fact: Fact): void {
    if (fact.type === "permission:request") this.#asked(sessionKey, fact);
    else if (fact.type === "permission:resolved") this.#resolved(sessionKey, fact);
  }

  #asked(sessionKey: number, { permissionId, askedAt, toolCall, options }: Request): void {
    const kept = JSON.stringify(withoutContent(toolCall));
    this.#insert.run(sessionKey, permissionId, askedAt, kept, JSON.stringify(options));
  }

  #resolved(sessionKey: number, { permissionId, outcome, by, why, at }: Resolved): void {
    const row = this.#options.get(sessionKey, permissionId);
    if (!row) return;
    const options = Options.parse(JSON.parse(String(row["options"])));
    const chosen = outcome.outcome === "selected" && options.find(({ optionId }) => optionId === outcome.optionId);
    const answered = !chosen ? "cancelled" : chosen.kind.startsWith("reject") ? "denied" : "allowed";
    const answeredBy = by ?? (chosen ? "user" : null);
    this.#answer.run(answered, answeredBy, at ?? null, why ?? null, sessionKey, permissionId);
  }
}

function withoutContent({ toolCallId, name, kind, input, parts, locations }: PermissionToolCall): PermissionToolCall {
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
