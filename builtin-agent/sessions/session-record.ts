import type { ContentBlock } from "@agentclientprotocol/sdk";
import { isObject, type JsonObject, parseJson, stringAt } from "../wire/json.ts";
import { parseContentBlock } from "../wire/params.ts";
import { type ConfigValues, parseConfig } from "./config-options.ts";
import { isModelMessage, type ModelMessage, withPlainData } from "./model-message.ts";

/** What the agent asks permission for. */
export const GUARDED_KINDS = ["edit", "execute", "tool", "fetch", "private"] as const;
export type GuardedKind = (typeof GUARDED_KINDS)[number];

/** An update as sent; replay sends it again, so unknown fields are kept. */
export type StoredUpdate = JsonObject & { readonly sessionUpdate: string };

/** One line of a session's file. */
export type SessionRecord =
  | { readonly type: "session"; readonly id: string; readonly cwd: string; readonly createdAt: number }
  | { readonly type: "user"; readonly messageId: string; readonly content: readonly ContentBlock[] }
  | { readonly type: "update"; readonly update: StoredUpdate }
  | { readonly type: "config"; readonly values: ConfigValues }
  | { readonly type: "allow"; readonly kind: GuardedKind }
  /** What the session has cost in all. */
  | { readonly type: "cost"; readonly amount: number }
  | { readonly type: "model"; readonly message: ModelMessage }
  | { readonly type: "summary"; readonly text: string; readonly kept: number };

/** A truncated line (the process was killed during a write) and a newer version's line are skipped. */
export function parseRecord(line: string): SessionRecord | undefined {
  const parsed = parseJson(line);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const record = parsed.value;
  switch (record["type"]) {
    case "session":
      return parseHeader(record);
    case "user":
      return parseUser(record);
    case "update":
      return isStoredUpdate(record["update"]) ? { type: "update", update: record["update"] } : undefined;
    case "config":
      return isObject(record["values"]) ? { type: "config", values: parseConfig(record["values"]) } : undefined;
    case "allow": {
      const kind = GUARDED_KINDS.find((one) => one === record["kind"]);
      return kind && { type: "allow", kind };
    }
    case "cost":
      return typeof record["amount"] === "number" ? { type: "cost", amount: record["amount"] } : undefined;
    case "model":
      return isModelMessage(record["message"])
        ? { type: "model", message: withPlainData(record["message"]) }
        : undefined;
    case "summary":
      return parseSummary(record);
    default:
      return undefined;
  }
}

function parseHeader(record: JsonObject): SessionRecord | undefined {
  const id = stringAt(record, "id");
  const cwd = stringAt(record, "cwd");
  const { createdAt } = record;
  if (id === undefined || cwd === undefined || typeof createdAt !== "number") return undefined;
  return { type: "session", id, cwd, createdAt };
}

function parseUser(record: JsonObject): SessionRecord | undefined {
  const messageId = stringAt(record, "messageId");
  const { content } = record;
  if (messageId === undefined || !Array.isArray(content)) return undefined;
  return { type: "user", messageId, content: content.map(parseContentBlock) };
}

function parseSummary(record: JsonObject): SessionRecord | undefined {
  const text = stringAt(record, "text");
  const { kept } = record;
  return text === undefined || typeof kept !== "number" ? undefined : { type: "summary", text, kept };
}

function isStoredUpdate(value: unknown): value is StoredUpdate {
  return isObject(value) && typeof value["sessionUpdate"] === "string";
}
