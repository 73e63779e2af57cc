import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { runInTerminal } from "../commands/run-in-terminal.ts";
import { permissionOptions } from "../turn/ask-permission.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";

const WRITTEN = "one\ntwo\n";

/** Asks for permission while the rest goes on; a question that nobody has answered by then is withdrawn. */
export function openQuestion(turn: Turn): { withdraw(): Promise<void> } {
  const { client, session } = turn.context;
  const title = "Something that needs permission (nothing is done)";
  const tool = new ToolCall(turn, { title, name: "ask", kind: "other", rawInput: {} });
  const withdrawal = new AbortController();
  const request = { sessionId: session.id, toolCall: tool.announcement, options: permissionOptions("edit") };
  const asked = client
    .requestPermission(request, AbortSignal.any([withdrawal.signal, turn.signal]))
    .catch(() => undefined);
  return {
    async withdraw() {
      withdrawal.abort();
      const chosen = await asked;
      const words = chosen === undefined ? "Nobody answered, so the question was withdrawn." : `Answered: ${chosen}`;
      tool.complete({ content: [textContent(words)] });
    },
  };
}

/** A file through the client: written, read, and gone again. */
export async function useFiles(turn: Turn): Promise<void> {
  const { client, session, world } = turn.context;
  if (!client.capabilities.writeTextFile || !client.capabilities.readTextFile) return;
  const path = join(turn.cwd, `${world.newId("guide")}.txt`);
  await client.writeTextFile(session.id, path, WRITTEN, turn.signal);
  try {
    const text = await client.readTextFile(session.id, path, turn.signal);
    const tool = new ToolCall(turn, { title: "Write and read a file", name: "file", kind: "read", rawInput: { path } });
    tool.complete({ content: [textContent(text)], rawOutput: { bytes: (await stat(path)).size } });
  } finally {
    await rm(path, { force: true });
  }
}

/** A command whose output is shown, and one that is ended by force. */
export async function useTerminals(turn: Turn): Promise<void> {
  const { client, session } = turn.context;
  if (!client.capabilities.terminal) return;
  const command = "echo terminal";
  const tool = new ToolCall(turn, { title: command, name: "run", kind: "execute", rawInput: { command } });
  await runInTerminal(turn, tool, command);
  const sessionId = session.id;
  const terminalId = await client.createTerminal({ sessionId, command: "sleep", args: ["1000"], cwd: turn.cwd });
  try {
    await client.killTerminal(sessionId, terminalId);
    await client.waitForExit(sessionId, terminalId, turn.signal);
  } finally {
    await client.releaseTerminal(sessionId, terminalId);
  }
}
