import { killGroup, StreamDrain } from "./agent-process.ts";

/** Belong to whoever started us, not to an agent: package managers, runtimes, other agents, and our own secrets. */
const SCRUBBED = [
  /^npm_/i,
  /^BUN_/,
  /^NODE_OPTIONS$/,
  /^NODE_ENV$/,
  /^NODE_CHANNEL_/,
  /^INIT_CWD$/,
  /^ELECTRON_RUN_AS_NODE$/,
  /^CLAUDECODE$/,
  /^CLAUDE_CODE_(ENTRYPOINT|SSE_PORT)$/,
  /^LIMINAL_(?:(?:MCP_)?TOKEN|MODEL_KEY)$/,
];

export type Environment = Readonly<Record<string, string>>;

/** What an agent process inherits, and what is laid over it; the later wins. */
export function agentEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  ...overlays: readonly Environment[]
): Environment {
  const kept = Object.entries(inherited).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && !SCRUBBED.some((pattern) => pattern.test(pair[0])),
  );
  return Object.assign(Object.fromEntries(kept), ...overlays);
}

const SHELL_TIMEOUT_MS = 5_000;
const PIPE_GRACE_MS = 200;
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
      env: agentEnvironment(env),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      detached: true,
    });
    const decoder = new TextDecoder();
    let output = "";
    const drain = new StreamDrain(child.stdout, (chunk) => {
      output += decoder.decode(chunk, { stream: true });
    });
    const limit = setTimeout(() => killGroup(child.pid, "SIGKILL"), SHELL_TIMEOUT_MS);
    await child.exited;
    clearTimeout(limit);
    // Something the profile started may hold the pipe; what the shell itself wrote is in it by now.
    await drain.endWithin(PIPE_GRACE_MS);
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
