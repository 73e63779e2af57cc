const NOBODY = 65_534;

/** Whether this test may act as somebody else: only root can, and only where the system has the tool. */
export const WHY_NOT_ANOTHER_USER: string | null =
  process.getuid?.() !== 0
    ? "only root can act as another user"
    : Bun.which("setpriv") === null
      ? "setpriv is not installed"
      : null;

/** Runs a command as a user who owns nothing here; what it printed and whether it went well. */
export async function asAnotherUser(...command: readonly string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn(
    ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--inh-caps=-all", ...command],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe", env: { PATH: process.env["PATH"] ?? "" } },
  );
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, output: stdout + stderr };
}
