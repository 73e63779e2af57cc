import { z } from "zod";
import { SessionRow } from "../../src/protocol/session-schema.ts";
import type { TestServer } from "../support/test-server.ts";

const Imported = z.object({
  session: z.optional(SessionRow),
  error: z.string().optional(),
  code: z.string().optional(),
});

/** Exports a session, in one of the three forms. */
export async function exported(server: TestServer, sessionId: string, format: "md" | "html" | "json"): Promise<string> {
  const answer = await server.fetch(`/api/export?sessionId=${encodeURIComponent(sessionId)}&format=${format}`);
  if (answer.status !== 200) throw new Error(`the export was answered ${answer.status}: ${await answer.text()}`);
  return answer.text();
}

/** Imports a file; the answer, whatever it is. */
export async function importFile(
  server: TestServer,
  projectId: string,
  body: string | Uint8Array<ArrayBuffer>,
  more = "",
) {
  const headers = { Authorization: `Bearer ${server.token}` };
  const path = `/api/import?projectId=${encodeURIComponent(projectId)}${more}`;
  const answer = await server.fetch(path, { method: "POST", body, headers });
  return { status: answer.status, ...Imported.parse(await answer.json()) };
}

/** Imports a file that must be taken. */
export async function imported(server: TestServer, projectId: string, body: string, more = ""): Promise<SessionRow> {
  const { status, session, error } = await importFile(server, projectId, body, more);
  if (status !== 201 || !session) throw new Error(`the import was answered ${status}: ${error}`);
  return session;
}
