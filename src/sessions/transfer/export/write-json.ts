import type { Entry } from "../../../protocol/entry.ts";
import { EXPORT_FORMAT, EXPORT_VERSION, type ExportSource } from "../export-document.ts";

/** The form that can be imported again: one entry to a line, each exactly as it is stored. */
export async function* writeJson({ session, exportedAt, runs }: ExportSource): AsyncGenerator<string> {
  const head = JSON.stringify({ format: EXPORT_FORMAT, version: EXPORT_VERSION, exportedAt, session }, null, 1);
  yield `${head.slice(0, -2)},\n "entries": [`;
  let before = "\n";
  for await (const entries of runs()) {
    for (const entry of entries) {
      yield `${before}${JSON.stringify(withoutCommand(entry))}`;
      before = ",\n";
    }
  }
  yield "\n]}\n";
}

/** The id of the command that made it means something to this server alone. */
function withoutCommand(entry: Entry): Entry {
  if (entry.type !== "user") return entry;
  const { commandId: _, ...rest } = entry;
  return rest;
}
