import { z } from "zod/mini";
import { parseJson } from "../../lib/parse-json.ts";
import { CliType, SessionId } from "../../protocol/ids.ts";

/** What a later server must know of a process to go on with it. */
const ProcessLabel = z.object({ cliType: CliType, sessionId: z.nullable(SessionId), cwd: z.string() });
export type ProcessLabel = z.infer<typeof ProcessLabel>;

/** Null for what another version wrote, or nobody. */
export function readLabel(text: string): ProcessLabel | null {
  return ProcessLabel.safeParse(parseJson(text)).data ?? null;
}
