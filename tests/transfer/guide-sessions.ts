import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { SessionStore } from "../../builtin-agent/sessions/session-store.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { type AgentSetting, guideWith, type TestServer } from "../support/test-server.ts";

/** The built-in agent as a configured one that keeps its sessions where the test can put some. */
export function guideIn(directory: string, ...flags: string[]): AgentSetting {
  return { ...guideWith(...flags), env: { LIMINAL_GUIDE_DIR: directory } };
}

export interface GuideSession {
  readonly id: string;
  readonly cwd: string;
  /** One exchange per word. */
  readonly words: readonly string[];
  readonly updatedAt?: Date;
}

/** Sessions as the agent itself writes them: made outside of the app. */
export async function writeGuideSessions(directory: string, sessions: readonly GuideSession[]): Promise<void> {
  const store = new SessionStore(directory);
  for (const { id, cwd, words, updatedAt } of sessions) {
    store.create(id, cwd, 1_700_000_000_000);
    words.forEach((word, index) => {
      const text = (content: string) => ({ type: "text" as const, text: content });
      store.append(id, [
        { type: "user", messageId: `u${index}`, content: [text(`ask ${word}`)] },
        {
          type: "update",
          update: { sessionUpdate: "agent_message_chunk", messageId: `a${index}`, content: text(`answer ${word}`) },
        },
      ]);
    });
    if (updatedAt) await utimes(join(directory, `${id}.jsonl`), updatedAt, updatedAt);
  }
}

/** So many of them, numbered; the higher the number, the newer. */
export function manySessions(count: number, cwd: string): GuideSession[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `guide_${String(index + 1).padStart(4, "0")}`,
    cwd,
    words: [`of ${index + 1}`],
    updatedAt: new Date(1_750_000_000_000 + index * 1_000),
  }));
}

/** A project in a directory of its own, with the agent's sessions in it. */
export async function projectWith(
  server: TestServer,
  client: SocketClient,
  guideDir: string,
  sessions: (cwd: string) => readonly GuideSession[],
): Promise<{ readonly projectId: string; readonly cwd: string }> {
  const cwd = await server.directory("outside");
  await writeGuideSessions(guideDir, sessions(cwd));
  const { project } = await client.ask("project:added", { type: "project:add", path: cwd });
  return { projectId: project.id, cwd };
}
