import type { Json } from "../../../src/protocol/json.ts";

/** Puts a model's answer into one dialect of server-sent events; every call gives the text to send. */
export interface AnswerWriter {
  begin(): string;
  think(piece: string): string;
  say(piece: string): string;
  callTool(name: string, input: Json): string;
  end(): string;
  /** The body of an answer with an error status. */
  failure(status: number, message: string): Json;
}

const TOOL_PIECE_CHARS = 40;

/** One event with its name, as both dialects frame them. */
export function serverEvent(type: string, body: Readonly<Record<string, Json>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`;
}

/** Tool input comes in pieces, as from a real model. */
export function inPieces(text: string): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${TOOL_PIECE_CHARS}}`, "g")) ?? [];
}
