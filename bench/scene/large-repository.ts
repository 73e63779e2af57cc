import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const FILES_PER_DIRECTORY = 50;
const LINES_PER_FILE = 30;
const TICK_MS = 10;
export const GIT = Bun.which("git") ?? "git";

/** A repository with so many files in one commit. */
export async function fillRepository(root: string, files: number): Promise<void> {
  const text = "const value = compute(input, options);\n".repeat(LINES_PER_FILE);
  for (let start = 0; start < files; start += FILES_PER_DIRECTORY) {
    const directory = join(root, `package-${Math.floor(start / 1_000)}`, `d${start}`);
    await mkdir(directory, { recursive: true });
    const names = Array.from({ length: FILES_PER_DIRECTORY }, (_, index) => start + index);
    await Promise.all(names.map((index) => writeFile(join(directory, `f${index}.ts`), `// ${index}\n${text}`)));
  }
  await git(root, "init", "-q");
  await git(root, "config", "gc.auto", "0");
  await git(root, "add", "-A");
  await git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "all");
  // As in a cloned repository: one pack.
  await git(root, "gc", "-q");
}

export function git(root: string, ...words: readonly string[]): Promise<void> {
  return run([GIT, "-C", root, ...words], process.env);
}

export async function run(command: string[], env: Record<string, string | undefined>): Promise<void> {
  const child = Bun.spawn(command, { env, stdout: "ignore", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
}

/** Of this process and of all ended programs that it has started. */
export function ownCpuMs(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]) * TICK_MS, 0);
}
