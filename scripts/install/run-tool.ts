const TOOL_TIMEOUT_MS = 10 * 60 * 1_000;

interface Surroundings {
  readonly cwd: string;
  /** Over our own environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a program to its end. */
export async function runTool(
  command: readonly string[],
  { cwd, env }: Surroundings,
): Promise<{ readonly code: number; readonly stdout: string; readonly output: string }> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TOOL_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, output: `${stdout}${stderr}` };
}
