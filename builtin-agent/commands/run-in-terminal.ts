import type { CommandEnd } from "../turn/client.ts";
import type { ToolCall } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";

const TERMINAL_OUTPUT_BYTES_MAX = 256 * 1024;

/** A terminal of the client's, shown inside the tool call; killed at a cancel and released in any case. */
export async function runInTerminal(turn: Turn, tool: ToolCall, command: string): Promise<CommandEnd> {
  const { client, session, commands } = turn.context;
  const terminalId = await client.createTerminal({
    sessionId: session.id,
    command: "/bin/sh",
    args: ["-c", command],
    cwd: turn.cwd,
    // A client may hand on the environment it gave to us.
    ...(commands.secret !== undefined && { env: [{ name: commands.secret, value: "" }] }),
    outputByteLimit: TERMINAL_OUTPUT_BYTES_MAX,
  });
  const content = [{ type: "terminal" as const, terminalId }];
  try {
    tool.run({ content });
    const exit = await client.waitForExit(session.id, terminalId, turn.signal);
    const { output, truncated } = await client.terminalOutput(session.id, terminalId, turn.signal);
    const patch = { content, rawOutput: { output, truncated, ...exit } };
    if (exit.exitCode === 0) tool.complete(patch);
    else tool.failWith(patch);
    return { ...exit, output };
  } finally {
    if (turn.signal.aborted) await client.killTerminal(session.id, terminalId);
    await client.releaseTerminal(session.id, terminalId);
  }
}
