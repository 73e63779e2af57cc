import { killGroup } from "../process/agent-process.ts";
import type { ProcessHost } from "../process/process-host.ts";

const OUTPUT_CHARS_MAX = 16 * 1024;

interface ToolRun {
  readonly host: ProcessHost;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Runs a program to its end, with the last of what it printed; an abort ends it and all it started at once. */
export async function runTool({ host, signal, ...spec }: ToolRun): Promise<{ code: number | null; output: string }> {
  signal.throwIfAborted();
  let output = "";
  const note = (text: string) => {
    output = (output + text).slice(-OUTPUT_CHARS_MAX);
  };
  const running = host.start({
    ...spec,
    onLine: (line) => note(`${line}\n`),
    onStderr: note,
    onTooLong: (bytes) => note(`(a line of ${bytes} bytes)\n`),
  });
  const end = () => killGroup(running.pid, "SIGKILL");
  signal.addEventListener("abort", end);
  try {
    const { code } = await running.exited;
    signal.throwIfAborted();
    return { code, output: output.trim() };
  } finally {
    signal.removeEventListener("abort", end);
  }
}
