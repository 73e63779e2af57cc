import { which } from "bun";

/** Why writes of another process cannot be made to fail here; null when they can. */
export const NO_FILE_LIMIT = which("prlimit") === null ? "prlimit is not installed" : null;

/** From now on no write of that process to a file succeeds: the kernel refuses it, as a failing disk does. */
export function failWrites(pid: number): void {
  limit(pid, "0");
}

export function allowWrites(pid: number): void {
  limit(pid, "unlimited");
}

function limit(pid: number, bytes: string): void {
  const { exitCode, stderr } = Bun.spawnSync(["prlimit", "--pid", String(pid), `--fsize=${bytes}:unlimited`]);
  if (exitCode !== 0) throw new Error(`prlimit: ${stderr}`);
}
