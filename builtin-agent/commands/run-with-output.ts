import type { CommandEnd } from "../turn/client.ts";
import { type ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";
import { OutputTail } from "./output-tail.ts";
import { runCommand } from "./run-command.ts";

const OUTPUT_CHARACTERS_MAX = 64 * 1024;
/** Each update carries the whole output, so they come at most this often. */
const OUTPUT_UPDATE_MS = 100;

/** The agent's own process; its output grows inside the tool call. */
export async function runWithOutput(turn: Turn, tool: ToolCall, command: string): Promise<CommandEnd> {
  const { commands } = turn.context;
  const tail = new OutputTail(OUTPUT_CHARACTERS_MAX);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;
  const show = () => {
    timer = undefined;
    if (turn.signal.aborted) return;
    shownAt = turn.context.world.now();
    tool.progress({ content: [textContent(tail.text)] });
  };
  tool.run();
  try {
    const exit = await runCommand({
      command,
      cwd: turn.cwd,
      signal: turn.signal,
      commands,
      onOutput: (bytes) => {
        tail.push(bytes);
        timer ??= setTimeout(show, Math.max(0, shownAt + OUTPUT_UPDATE_MS - turn.context.world.now()));
      },
    });
    turn.signal.throwIfAborted();
    const patch = {
      content: [textContent(tail.text)],
      rawOutput: { output: tail.text, truncated: tail.truncated, ...exit },
    };
    if (exit.exitCode === 0) tool.complete(patch);
    else tool.failWith(patch);
    return { ...exit, output: tail.text };
  } finally {
    clearTimeout(timer);
  }
}
