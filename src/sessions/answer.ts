import { z } from "zod";
import { ErrorCode, type Refusal } from "../protocol/errors.ts";
import type { Fact } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import { Json } from "../protocol/json.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import type { SessionConfig } from "../protocol/session-parts.ts";

/** The outcome of a command. */
export type Answer =
  | { readonly kind: "ok"; readonly seq?: number }
  /** Answered by a fact that every reader gets through the log. */
  | { readonly kind: "fact"; readonly fact: Fact }
  /** `published`: every client gets this message. */
  | { readonly kind: "message"; readonly message: PlainServerMessage; readonly published: boolean }
  /** The options after one was changed. */
  | { readonly kind: "config"; readonly sessionId: SessionId; readonly seq: number; readonly config: SessionConfig }
  /** In progress: the message confirms that now, a refusal may still follow. */
  | { readonly kind: "started"; readonly message: PlainServerMessage; readonly failed: Promise<Refusal | null> }
  /** The stored first answer of a repeated command. */
  | { readonly kind: "repeated"; readonly message: Record<string, Json> }
  | { readonly kind: "refused"; readonly refusal: Refusal };

const StoredAnswer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ok"), seq: z.int().optional() }),
  z.object({ kind: z.literal("repeated"), message: z.record(z.string(), Json) }),
  z.object({
    kind: z.literal("refused"),
    refusal: z.object({ code: ErrorCode, message: z.string(), details: z.string().optional() }),
  }),
]);

/** Answers are stored in the form that a repetition returns. */
export function writeAnswer(answer: Answer): string {
  switch (answer.kind) {
    case "ok":
    case "refused":
    case "repeated":
      return JSON.stringify(answer);
    case "fact":
      return JSON.stringify({ kind: "repeated", message: answer.fact });
    case "config": {
      const { sessionId, seq, config } = answer;
      return JSON.stringify({ kind: "repeated", message: { type: "session:config", sessionId, seq, config } });
    }
    case "started":
    case "message":
      return JSON.stringify({ kind: "repeated", message: answer.message });
    default:
      return answer satisfies never;
  }
}

export function readAnswer(json: string): Answer {
  const stored = StoredAnswer.parse(JSON.parse(json));
  if (stored.kind === "ok") return stored.seq === undefined ? { kind: "ok" } : { kind: "ok", seq: stored.seq };
  if (stored.kind === "repeated") return stored;
  const { code, message, details } = stored.refusal;
  return { kind: "refused", refusal: details === undefined ? { code, message } : { code, message, details } };
}
