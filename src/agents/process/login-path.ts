const SHELL_TIMEOUT_MS = 5_000;
const MARK = "__liminal_path__";

/**
 * The PATH of a login shell: a server started from a desktop or a service has a poorer one, and would not find agents
 * the user has. Asked once, with a time limit; a shell that prints other things or hangs changes nothing.
 */
export async function loginPath(env: Readonly<Record<string, string | undefined>>): Promise<string | null> {
  const shell = env["SHELL"];
  if (!shell || process.platform === "win32") return null;
  try {
    const child = Bun.spawn([shell, "-l", "-c", `printf '%s%s%s' ${MARK} "$PATH" ${MARK}`], {
      env: { ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      timeout: SHELL_TIMEOUT_MS,
    });
    const output = await new Response(child.stdout).text();
    await child.exited;
    return output.split(MARK)[1] || null;
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** Both, ours first: nothing that was found before is found elsewhere now. */
export function joinPaths(own: string | undefined, login: string | null): string {
  const entries = [...(own ?? "").split(":"), ...(login ?? "").split(":")].filter((entry) => entry !== "");
  return [...new Set(entries)].join(":");
}
