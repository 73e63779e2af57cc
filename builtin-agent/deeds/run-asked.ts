import { runInTerminal } from "../commands/run-in-terminal.ts";
import { runWithOutput } from "../commands/run-with-output.ts";
import { askPermission } from "../turn/ask-permission.ts";
import type { CommandEnd } from "../turn/client.ts";
import { ToolCall } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";

/** A shell command, after a question: in the client's terminal where there is one, else in a process of our own. */
export async function runAsked(turn: Turn, command: string): Promise<CommandEnd | "rejected" | "read-only"> {
  const rawInput = { command, cwd: turn.cwd };
  const tool = new ToolCall(turn, { title: command, name: "run", kind: "execute", rawInput });
  const permission = await askPermission(turn, tool, "execute");
  if (permission !== "allowed") {
    tool.fail(permission === "rejected" ? "Rejected." : "Commands are off in read-only mode.");
    return permission === "rejected" ? "rejected" : "read-only";
  }
  const start = turn.context.client.capabilities.terminal ? runInTerminal : runWithOutput;
  return start(turn, tool, command);
}
