import { ProjectId } from "../../src/protocol/ids.ts";
import type { SessionRow } from "../../src/protocol/session-schema.ts";
import { Talk } from "../integration/talk.ts";
import type { Message, SocketClient } from "../support/socket-client.ts";

export const GUIDE = { cliType: "guide" } as const;

/** What could be imported. */
export function found(client: SocketClient, projectId: string): Promise<Message<"import:found">> {
  return client.ask("import:found", { type: "import:list", projectId, ...GUIDE });
}

export async function foundIds(client: SocketClient, projectId: string): Promise<string[]> {
  return (await found(client, projectId)).sessions.map(({ agentSessionId }) => agentSessionId);
}

/** Starts an import; its id. */
export async function startImport(client: SocketClient, projectId: string, ids: string[]): Promise<string> {
  const { importId } = await client.ask("import:started", {
    type: "import:start",
    projectId,
    ...GUIDE,
    agentSessionIds: ids,
  });
  return importId;
}

/** However long it takes, as long as it goes on. */
export async function untilDone(client: SocketClient, importId: string): Promise<Message<"import:done">> {
  for (let looked = 0; ; looked = client.mark()) {
    const done = client.all("import:done").find((message) => message.importId === importId);
    if (done) return done;
    const mark = looked;
    await client.until("progress, or the end of the import", () =>
      client.received.slice(mark).some(({ type }) => type === "import:progress" || type === "import:done"),
    );
  }
}

export async function importAll(client: SocketClient, projectId: string): Promise<Message<"import:done">> {
  return untilDone(client, await startImport(client, projectId, await foundIds(client, projectId)));
}

export async function rows(client: SocketClient, projectId: string): Promise<SessionRow[]> {
  return (await client.ask("session:list", { type: "session:list", projectId, includeArchived: true })).sessions;
}

export async function openTalk(client: SocketClient, { id, projectId }: SessionRow): Promise<Talk> {
  await client.ask("session:history", { type: "session:open", sessionId: id });
  return new Talk(client, ProjectId.parse(projectId), id);
}

/** The one session there is. */
export async function onlyTalk(client: SocketClient, projectId: string): Promise<Talk> {
  const [row, ...others] = await rows(client, projectId);
  if (!row || others.length > 0) throw new Error(`not one session, but ${others.length + (row ? 1 : 0)}`);
  return openTalk(client, row);
}
