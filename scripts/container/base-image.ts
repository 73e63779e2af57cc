import { existsSync } from "node:fs";
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runTool } from "../install/run-tool.ts";
import { npmProgram, obtainTool } from "../install/tools.ts";
import type { Buildah } from "./buildah.ts";

const SUITE = "bookworm";
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";
/** The user of the official image. */
const USER_ID = "1000";

/** The image that the Dockerfile starts from. */
export async function baseImageName(root: string): Promise<string> {
  const [, name] = /^FROM (\S+)/m.exec(await readFile(join(root, "Dockerfile"), "utf8")) ?? [];
  if (name === undefined) throw new Error("the Dockerfile names no base image");
  return `docker.io/library/${name}`;
}

/**
 * Pulls the image; if no registry is reachable, builds an equivalent one from Debian and Node. Returns a description of
 * which.
 */
export async function obtainBaseImage(buildah: Buildah, name: string, cache: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  const { code } = await runTool(buildah.command("pull", "--quiet", name), { cwd: cache, env: {} });
  if (code === 0) return `pulled ${name}`;
  if (Bun.which("debootstrap") === null)
    throw new Error(`${name} cannot be pulled here. Install debootstrap, which makes an image like it.`);
  const root = await debianWithNode(cache);
  const container = await buildah.run("from", "scratch");
  await buildah.run("add", "--quiet", container, root, "/");
  // Added files belong to root.
  const own = ["sh", "-c", `chown -R ${USER_ID}:${USER_ID} ~node`];
  await buildah.run("run", "--isolation", "chroot", container, "--", ...own);
  await buildah.run("commit", "--quiet", "--rm", container, name);
  return `no registry: Debian ${SUITE} and Node instead of ${name}`;
}

/**
 * A root file system like the official image's, kept between runs. It is staged, so that a broken one is never used.
 */
async function debianWithNode(cache: string): Promise<string> {
  const root = join(cache, `debian-${SUITE}-node22`);
  if (existsSync(root)) return root;
  const stage = await mkdtemp(join(cache, ".stage-"));
  try {
    const inStage = (path: string) => join(stage, path);
    const run = async (...command: string[]) => {
      const { code, output } = await runTool(command, { cwd: cache, env: {} });
      if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output.slice(-2_000)}`);
    };
    await run("debootstrap", "--variant=minbase", "--include=ca-certificates", SUITE, stage);
    await chmod(stage, 0o755);
    await copyFile(await obtainTool(cache, "node22"), inStage("usr/local/bin/node"));
    await cp(dirname(dirname(npmProgram())), inStage("usr/local/lib/node_modules/npm"), { recursive: true });
    for (const name of ["npm", "npx"])
      await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, inStage(`usr/local/bin/${name}`));
    await run("chroot", stage, "useradd", "--create-home", "--uid", USER_ID, "node");
    // It trusts the certificates of this machine: a mirror of packages may have its own.
    if (existsSync(CERTIFICATES)) await copyFile(CERTIFICATES, inStage(CERTIFICATES));
    await mkdir(inStage("usr/local/etc"), { recursive: true });
    await writeFile(inStage("usr/local/etc/npmrc"), `cafile=${CERTIFICATES}\n`);
    await rename(stage, root);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
  return root;
}
