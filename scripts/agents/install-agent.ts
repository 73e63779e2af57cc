import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentPackage, agentFolder } from "./agent-packages.ts";

/** Both agents take 0.9 GB, and npm unpacks before it moves. */
const FREE_BYTES_MIN = 1.5e9;
const INSTALL_TIMEOUT_MS = 10 * 60 * 1_000;
const SHOWN_CHARS_MAX = 2_000;

/** Either the agent is installed, or there is a reason with advice. */
export type Installed = { readonly folder: string } | { readonly reason: string };

/**
 * Installs an agent unless it is installed. It is staged beside its place and renamed, so that a broken install never
 * counts as complete; no script of the package runs.
 */
export async function installAgent(cache: string, agent: AgentPackage): Promise<Installed> {
  const folder = agentFolder(cache, agent);
  if (existsSync(folder)) return { folder };
  await mkdir(cache, { recursive: true });
  const { bavail, bsize } = await statfs(cache);
  if (bavail * bsize < FREE_BYTES_MIN)
    return { reason: `${gigabytes(bavail * bsize)} free in ${cache}, ${gigabytes(FREE_BYTES_MIN)} needed` };
  console.log(`installing ${agent.spec} into ${cache}`);
  const stage = await mkdtemp(join(cache, ".stage-"));
  try {
    const problem = await npmInstall(stage, agent.spec);
    if (problem !== null) return { reason: `npm could not install ${agent.spec}: ${problem}` };
    if (!existsSync(join(stage, agent.entry))) return { reason: `${agent.spec} has no ${agent.entry}` };
    return await moveInto(folder, stage);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** Another run may have been faster; its install is equivalent. */
async function moveInto(folder: string, stage: string): Promise<Installed> {
  try {
    await rename(stage, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
  return { folder };
}

async function npmInstall(folder: string, spec: string): Promise<string | null> {
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  const child = Bun.spawn(
    ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error", spec],
    { cwd: folder, stdio: ["ignore", "pipe", "pipe"], timeout: INSTALL_TIMEOUT_MS, killSignal: "SIGKILL" },
  );
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return code === 0 ? null : `${stdout}${stderr}`.trim().slice(-SHOWN_CHARS_MAX) || `exit code ${code}`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
