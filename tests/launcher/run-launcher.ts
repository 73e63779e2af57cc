import type { TempDir } from "../support/temp-dir.ts";

/** How a launcher ended, and its output. */
type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** A process at work; its lines can be waited for. */
type RunningProcess = AsyncDisposable & {
  kill(signal: NodeJS.Signals): void;
  /** The next line of stdout. */
  line(): Promise<string>;
  readonly exited: Promise<number>;
};

type Options = { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> };

/** Starts the launcher of a sample package as a user would. */
export function startLauncher(
  dir: TempDir,
  args: readonly string[],
  { cwd = dir.path, env = {} }: Options = {},
): RunningProcess {
  return runningProcess([dir.join("bin/liminal"), ...args], cwd, env);
}

/** Starts any program whose lines are of interest. */
export function runningProcess(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): RunningProcess {
  const child = Bun.spawn([...command], { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  const lines = readLines(child.stdout);
  return {
    kill: (signal) => child.kill(signal),
    line: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${command.join(" ")} ended without another line`);
      return value;
    },
    exited: child.exited,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

/** Runs it to its end. */
export async function runLauncher(
  dir: TempDir,
  args: readonly string[],
  { cwd = dir.path, env = {} }: Options = {},
): Promise<Ended> {
  const child = Bun.spawn([dir.join("bin/liminal"), ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}
