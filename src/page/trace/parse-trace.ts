import { z } from "zod/mini";

export const TraceDirection = z.enum(["in", "out", "junk", "stderr", "note"]);
export type TraceDirection = z.infer<typeof TraceDirection>;

const TraceLine = z.object({ at: z.string(), direction: TraceDirection, text: z.string() });
export type TraceLine = z.infer<typeof TraceLine>;

/** Parses a trace: a heading line, then one JSON object per line. */
export function parseTrace(text: string): readonly TraceLine[] {
  return text.split("\n").flatMap((line) => TraceLine.safeParse(jsonOf(line)).data ?? []);
}

const Message = z.object({
  id: z.optional(z.union([z.string(), z.number(), z.null()])),
  method: z.optional(z.string()),
  params: z.optional(z.object({ update: z.optional(z.object({ sessionUpdate: z.string() })) })),
  error: z.optional(z.unknown()),
});

/** A short summary of a line; empty for text that is not a message. */
export function summaryOf({ direction, text }: TraceLine): string {
  if (direction === "stderr" || direction === "junk" || direction === "note") return "";
  const message = Message.safeParse(jsonOf(text)).data;
  if (message === undefined) return "";
  const { id, method, params, error } = message;
  if (method !== undefined) return params?.update ? `${method} ${params.update.sessionUpdate}` : method;
  return `${error === undefined ? "answer" : "error"} ${id ?? ""}`.trim();
}

/** The whole message, indented; text that is not JSON stays as it is. */
export function wholeText(text: string): string {
  const json = jsonOf(text);
  return json === undefined ? text : JSON.stringify(json, null, 2);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // agents also write plain text; it is shown as such
  }
}

/** Filter values: all, one direction, or lines that are not messages. */
export const TRACE_KINDS = ["all", "out", "in", "noise"] as const;
export type TraceKind = (typeof TRACE_KINDS)[number];

export function filterTrace(lines: readonly TraceLine[], kind: TraceKind, text: string): readonly TraceLine[] {
  const wanted = text.trim().toLowerCase();
  return lines.filter((line) => isOfKind(line, kind) && (wanted === "" || line.text.toLowerCase().includes(wanted)));
}

function isOfKind({ direction }: TraceLine, kind: TraceKind): boolean {
  switch (kind) {
    case "all":
      return true;
    case "out":
    case "in":
      return direction === kind;
    case "noise":
      return direction === "stderr" || direction === "junk" || direction === "note";
    default:
      return kind satisfies never;
  }
}
