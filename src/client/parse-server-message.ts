import { z } from "zod/mini";
import { FACT_TYPES } from "../protocol/facts.ts";
import { FactMessage, PLAIN_TYPES, PlainServerMessage, type ServerMessage } from "../protocol/server-messages.ts";

const Envelope = z.looseObject({ type: z.string() });
const facts: ReadonlySet<string> = new Set(FACT_TYPES);
const plain: ReadonlySet<string> = new Set(PLAIN_TYPES);

/** A frame as it was understood. A newer server's message is no error: it is skipped, and counted by whoever reads. */
export type ParsedFrame =
  | { readonly kind: "message"; readonly message: ServerMessage }
  | { readonly kind: "unknown"; readonly type: string }
  | { readonly kind: "invalid" };

/** The one place where what the server sent becomes a typed message. */
export function parseServerMessage(data: unknown): ParsedFrame {
  const envelope = Envelope.safeParse(parseJson(data));
  if (!envelope.success) return { kind: "invalid" };
  const { type } = envelope.data;
  // Some words are said of sessions and of agents alike: only a fact has a place in a log.
  const isFact = facts.has(type) && ("seq" in envelope.data || !plain.has(type));
  if (isFact) return understood(() => FactMessage.safeParse(envelope.data));
  if (plain.has(type)) return understood(() => PlainServerMessage.safeParse(envelope.data));
  return { kind: "unknown", type };
}

function understood(parse: () => z.core.util.SafeParseResult<ServerMessage>): ParsedFrame {
  try {
    const result = parse();
    return result.success ? { kind: "message", message: result.data } : { kind: "invalid" };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "invalid" }; // nested deeper than there is stack to read it
    throw error;
  }
}

function parseJson(data: unknown): unknown {
  if (typeof data !== "string") return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined; // not JSON is not a message: the caller counts it as invalid
  }
}
