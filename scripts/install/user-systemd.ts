import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LOOK_MS = 100;
const LOOKS_MAX = 300;

/**
 * The first process of a namespace: its own list of processes, its own /run, a control group for the services. systemd
 * refuses to run for a user where the system was not started by it, which it detects by a folder. At the end it removes
 * the control group.
 */
const FIRST_PROCESS = `set -e
mount -t proc proc /proc
umount -l /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
group=/sys/fs/cgroup/liminal-install-$OUTER_ID
mkdir "$group"
echo 0 > "$group/cgroup.procs"
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system
set +e
/lib/systemd/systemd --user
echo 0 > /sys/fs/cgroup/cgroup.procs
find "$group" -depth -type d -exec rmdir {} \\;`;

/** The systemd of a user who has just logged in, apart from the machine's own. */
export class UserSystemd implements AsyncDisposable {
  readonly #unshare: Bun.Subprocess;
  readonly #runtimeFolder: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(unshare: Bun.Subprocess, runtimeFolder: string, env: Readonly<Record<string, string>>) {
    this.#unshare = unshare;
    this.#runtimeFolder = runtimeFolder;
    this.#env = env;
  }

  /** Why none can be started here; null if one can. */
  static reasonAgainst(): string | null {
    if (process.platform !== "linux") return "this is not Linux";
    if (process.getuid?.() !== 0) return "it needs root, for a namespace of its own";
    const missing = ["unshare", "nsenter", "systemctl"].filter((name) => Bun.which(name) === null);
    if (missing.length > 0) return `${missing.join(", ")} not on PATH`;
    return existsSync("/lib/systemd/systemd") ? null : "systemd is not installed";
  }

  /** With this home; throws if it does not start. */
  static async start(home: string): Promise<UserSystemd> {
    const runtimeFolder = join(home, "run");
    mkdirSync(runtimeFolder, { recursive: true, mode: 0o700 });
    const env = { HOME: home, XDG_RUNTIME_DIR: runtimeFolder };
    const unshare = Bun.spawn(["unshare", "-pfmC", "--kill-child", "sh", "-c", FIRST_PROCESS], {
      env: { ...process.env, ...env, OUTER_ID: String(process.pid) },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const systemd = new UserSystemd(unshare, runtimeFolder, env);
    for (let look = 0; look < LOOKS_MAX && unshare.exitCode === null; look += 1) {
      if (existsSync(join(runtimeFolder, "systemd/private"))) return systemd;
      await Bun.sleep(LOOK_MS);
    }
    await systemd[Symbol.asyncDispose]();
    throw new Error("systemd --user did not start in a namespace");
  }

  get env(): Readonly<Record<string, string>> {
    return this.#env;
  }

  /** The command, to be run where this systemd runs. */
  inside(...command: string[]): string[] {
    const [first = ""] = readFileSync(`/proc/${this.#unshare.pid}/task/${this.#unshare.pid}/children`, "utf8").split(
      " ",
    );
    return ["nsenter", "--target", first, "--pid", "--mount", "--cgroup", ...command];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#unshare.exitCode === null && existsSync(join(this.#runtimeFolder, "systemd/private")))
      await Bun.spawn(this.inside("systemctl", "--user", "exit"), {
        env: { ...process.env, ...this.#env },
        stdio: ["ignore", "ignore", "inherit"],
      }).exited;
    else this.#unshare.kill("SIGKILL");
    await this.#unshare.exited;
  }
}
