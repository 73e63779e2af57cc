import { StreamDrain } from "../../lib/stream-drain.ts";
import { killGroup } from "./agent-process.ts";

/** Variables of whoever started us, not for agents: package managers, runtimes, other agents, and our own secrets. */
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
  /^LIMINAL_(?:(?:MCP_)?TOKEN|MODEL_KEY|DATABASE_URL|OIDC_SECRET)$/,
];

export type Environment = Readonly<Record<string, string>>;

/** The environment of an agent process with overrides; later ones win. */
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
 * The PATH of a login shell: a server started from a desktop or a service has a shorter one, and would not find the
 * user's agents. Read once, with a time limit; a shell that prints other things or hangs changes nothing.
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
    // A process started by the profile may hold the pipe; the shell's own output has arrived by now.
    await drain.endWithin(PIPE_GRACE_MS);
    return output.split(MARK)[1] || null;
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** Both, ours first: programs found before resolve to the same path. */
export function joinPaths(own: string | undefined, login: string | null): string {
  const entries = [...(own ?? "").split(":"), ...(login ?? "").split(":")].filter((entry) => entry !== "");
  return [...new Set(entries)].join(":");
}
