import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runTool } from "./run-tool.ts";

/** Package managers and versions of Node, exactly as tested, from npm. */
const TOOLS = {
  pnpm: { spec: "pnpm@10.34.8", file: "node_modules/pnpm/bin/pnpm.cjs" },
  yarn: { spec: "yarn@1.22.22", file: "node_modules/yarn/bin/yarn.js" },
  node20: { spec: nodePackage("20.20.2"), file: nodeFile() },
  node22: { spec: nodePackage("22.23.3"), file: nodeFile() },
  node24: { spec: nodePackage("24.21.0"), file: nodeFile() },
} as const;

export type Tool = keyof typeof TOOLS;

/** The tool's file, installed on first use and kept between runs. It is staged, so that a broken install is never used. */
export async function obtainTool(cache: string, tool: Tool): Promise<string> {
  const { spec, file } = TOOLS[tool];
  const folder = join(cache, spec);
  if (existsSync(folder)) return join(folder, file);
  await mkdir(cache, { recursive: true });
  console.log(`installing ${spec} into ${cache}`);
  const stage = await mkdtemp(join(cache, ".stage-"));
  try {
    await writeFile(join(stage, "package.json"), JSON.stringify({ private: true }));
    const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
    const { code, output } = await runTool(["npm", "install", ...quietly, spec], { cwd: stage, env: {} });
    if (code !== 0) throw new Error(`npm could not install ${spec}: ${output}`);
    await rename(stage, folder);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
  return join(folder, file);
}

/** npm's own program, to be run by any Node. */
export function npmProgram(): string {
  const npm = Bun.which("npm");
  if (npm === null) throw new Error("npm is not on PATH");
  const { stdout } = Bun.spawnSync(["npm", "root", "-g"]);
  const program = join(stdout.toString().trim(), "npm/bin/npm-cli.js");
  return existsSync(program) ? program : join(dirname(npm), "../lib/node_modules/npm/bin/npm-cli.js");
}

function nodePackage(version: string): string {
  return `node-${process.platform}-${process.arch}@${version}`;
}

function nodeFile(): string {
  return `node_modules/node-${process.platform}-${process.arch}/bin/node`;
}
