import { chown, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { runTool } from "../install/run-tool.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** The image's user, who owns the mounted folders. */
const USER_ID = 1_000;
const NAME = "liminal-box";

/**
 * A container of the image as docs/places.md starts it, reached by `podman exec`: it serves as a place, and has nothing
 * of this machine but the project. Also returns what was left out.
 */
export async function checkPlaceOf(image: string, folder: string): Promise<string | undefined> {
  const missing = ["podman", "runc"].find((name) => Bun.which(name) === null);
  if (missing !== undefined) return `left out: ${missing} is not installed`;
  const [project, data] = [join(folder, "project"), join(folder, "place-data")];
  for (const path of [project, data]) await mkdir(path);
  await writeFile(join(project, "file"), "of the project");
  for (const path of [project, join(project, "file")]) await chown(path, USER_ID, USER_ID);
  // The images that Buildah has built, and no other ones.
  const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--cgroup-manager", "cgroupfs"];
  const podman = ["podman", ...storage, "--tmpdir", join(folder, "tmp"), "--runtime", "runc"];
  const run = async (command: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { code, stdout, output } = await runTool(command, { cwd: folder, env });
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output.slice(-2_000)}`);
    return stdout.trim();
  };
  const limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024", "--network", "none"];
  const volume = ["--volume", `${project}:/projects/app`];
  await run([
    ...[...podman, "run", "--detach", "--name", NAME, ...limits, ...volume],
    ...["--entrypoint", "tini", image, "--", "sleep", "infinity"],
  ]);
  try {
    const command = [...podman, "exec", "-i", NAME, "liminal", "runner"];
    await writeFile(join(data, "config.json"), JSON.stringify({ places: { box: { kind: "command", command } } }));
    const liminal = [process.execPath, join(ROOT, "src/cli/main.ts"), "place", "check", "box"];
    await run(liminal, { LIMINAL_DATA_DIR: data });
    const seen = await run([...podman, "exec", NAME, "sh", "-c", "cat /projects/app/file; ls /projects /home"]);
    if (seen.split(/\s+/).join(" ") !== "of the project/home: node /projects: app") throw new Error(`it sees ${seen}`);
  } finally {
    await run([...podman, "rm", "--force", "--time", "0", NAME]);
  }
  return undefined;
}
