import { SessionId } from "../../src/protocol/ids.ts";
import type { TestServer } from "../support/test-server.ts";
import type { OpenOptions } from "./app-page.ts";
import type { Chromium } from "./use-chromium.ts";

interface ChatOptions extends OpenOptions {
  /** By its name; without it, the built-in one. */
  readonly agent?: string;
}

/** A page with one new session in a directory of its own. */
export async function openChat(chromium: Chromium, server: TestServer, { agent, ...options }: ChatOptions = {}) {
  const app = await chromium.open(server, options);
  const name = `chat-${crypto.randomUUID().slice(0, 8)}`;
  const path = await server.directory(name);
  await app.addProject(path);
  const session = await app.newSession(name, agent);
  return { app, session, name, path, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** Sessions with these titles in one project, made without a page; `say` makes one of them work. */
export async function prepareSessions(server: TestServer, project: string, titles: readonly string[]) {
  const client = await server.connect();
  const path = await server.directory(project);
  const { project: added } = await client.ask("project:added", { type: "project:add", path });
  const ids = new Map<string, SessionId>();
  for (const title of titles) {
    const create = { type: "session:create", projectId: added.id, cliType: "builtin", title } as const;
    ids.set(title, (await client.ask("session:created", create)).sessionId);
  }
  const say = async (title: string, content: string): Promise<void> => {
    const sessionId = SessionId.parse(ids.get(title));
    await client.ask("ok", { type: "session:send", sessionId, content });
  };
  return { client, ids, path, say };
}
