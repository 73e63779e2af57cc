import { z } from "zod/mini";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import { IMPORT_BYTES_MAX, IMPORT_TOO_LARGE } from "../../protocol/import-limit.ts";
import { SessionRow } from "../../protocol/server-messages.ts";
import { askServer } from "../own-server.ts";

const Answer = z.object({
  session: z.optional(SessionRow),
  error: z.optional(z.string()),
  code: z.optional(z.string()),
});

export type FileAnswer =
  | { readonly step: "imported"; readonly session: SessionRow }
  | { readonly step: "known"; readonly session: SessionRow }
  | { readonly step: "refused"; readonly words: string; readonly isAgentUnknown: boolean };

/** Hands a file to the server; never rejects, for what goes wrong is told beside the button. */
export async function sendFile(
  projectId: ProjectId,
  file: File,
  { copy = false, cliType }: { readonly copy?: boolean; readonly cliType?: CliType },
): Promise<FileAnswer> {
  if (file.size > IMPORT_BYTES_MAX) return { step: "refused", words: IMPORT_TOO_LARGE, isAgentUnknown: false };
  const query = new URLSearchParams({ projectId, ...(copy && { copy: "1" }), ...(cliType && { cliType }) });
  try {
    const response = await askServer(`/api/import?${query}`, { method: "POST", body: file });
    const { session, error, code } = Answer.parse(await response.json());
    if (session) return { step: response.ok ? "imported" : "known", session };
    const words = error ?? `The server answered ${response.status}. Try again.`;
    return { step: "refused", words, isAgentUnknown: code === "AGENT_UNKNOWN" };
  } catch {
    // Gone in the middle, or an answer that is none of ours: there is nothing more to say of either.
    return { step: "refused", words: "The file did not reach the server. Try again.", isAgentUnknown: false };
  }
}
