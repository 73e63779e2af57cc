import type { TraceLine } from "./parse-trace.ts";

/** Which lines are wanted: all, one way of the wire, or what is no message of either. */
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
