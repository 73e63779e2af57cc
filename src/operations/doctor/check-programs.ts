import { join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { loginPath } from "../../agents/process/agent-environment.ts";
import { checkGit } from "../../workspace/git/run-git.ts";
import type { ServerConfig } from "../config.ts";
import { PROGRAM_DIR } from "../own-program.ts";
import { errorText, type Finding, note, ok, problem } from "./finding.ts";

const NODE_MAJOR_MIN = 20;

/** Checks the programs that the app and the agents need. */
export async function checkPrograms(env: ServerConfig["env"]): Promise<readonly Finding[]> {
  return [checkNode(env), checkBun(Bun.version), await checkGitProgram(), await checkPath(env)];
}

function checkNode(env: ServerConfig["env"]): Finding {
  const fix = `Install Node ${NODE_MAJOR_MIN} or newer (https://nodejs.org) so that it is on PATH.`;
  const path = Bun.which("node", { PATH: env["PATH"] ?? "" });
  if (!path) return problem("node", "Node is not on PATH; many agents need it.", fix);
  try {
    const version = Bun.spawnSync([path, "--version"], { env: { ...env } })
      .stdout.toString()
      .trim();
    const major = Number(/^v(\d+)\./.exec(version)?.[1] ?? 0);
    return major >= NODE_MAJOR_MIN
      ? ok("node", `Node ${version} (${path}).`)
      : problem("node", `Node ${version || "of an unknown version"} (${path}) is too old.`, fix);
  } catch (error) {
    return problem("node", `Cannot run ${path}: ${errorText(error)}.`, fix);
  }
}

export function checkBun(running: string): Finding {
  const pinned = packageJson.optionalDependencies["@oven/bun-linux-x64"];
  if (running === pinned) return ok("bun", `Bun ${running} (pinned version).`);
  return problem(
    "bun",
    `Bun ${running} is running; the pinned version is ${pinned}.`,
    `Run "npm install" in ${join(PROGRAM_DIR)}.`,
  );
}

/** Everything but checkpoints works without it. */
async function checkGitProgram(): Promise<Finding> {
  const git = await checkGit();
  if (git.ok) return ok("git", `Git ${git.version}.`);
  return note("git", `${git.reason} Everything else works.`);
}

async function checkPath(env: ServerConfig["env"]): Promise<Finding> {
  const shell = env["SHELL"];
  if (!shell) return note("path", "SHELL is not set: agents are searched only on the PATH of this process.");
  const path = await loginPath(env);
  if (path === null)
    return problem(
      "path",
      `Could not read PATH from the login shell ${shell}: agents that are only on its PATH are not found.`,
      `Run "${shell} -l -c true" and fix the reported errors, or set SHELL to a working shell.`,
    );
  const own = new Set((env["PATH"] ?? "").split(":"));
  const more = path.split(":").filter((entry) => entry !== "" && !own.has(entry));
  return ok(
    "path",
    more.length === 0 ? "PATH matches the login shell." : `The login shell adds ${more.join(", ")} to PATH.`,
  );
}
