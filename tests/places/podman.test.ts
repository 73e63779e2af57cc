import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Place } from "../../src/places/place.ts";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { PROGRAM, ROOT, START } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { ECHO, type Machine, machine, SHARED } from "./machine.ts";
import { carriesAgents, hasWorkspace, hasWorktrees } from "./one-suite.ts";

const LEFT_MS = 20_000;
const NAME = "liminal-box";
/** Where systems without a merged /usr have their programs, too. */
const LINKS = ["bin", "sbin", "lib", "lib64"];
const EMPTY = ["dev", "etc", "proc", "run", "sys", "tmp", "usr"];

const mount = (path: string, mode: "ro" | "rw") => ["--volume", `${path}:${path}:${mode}`];

/** Podman refused, in its own words. */
class PodmanError extends Error {
  override readonly name = "PodmanError";
}

/** A container without an image: an empty root, and of this machine its programs, our program and one home. */
class Podman implements AsyncDisposable {
  readonly #dir: TempDir;
  readonly #own: readonly string[];

  constructor(dir: TempDir) {
    this.#dir = dir;
    for (const name of EMPTY) mkdirSync(dir.join("root", name), { recursive: true });
    for (const name of LINKS) symlinkSync(`usr/${name}`, dir.join("root", name));
    // Nothing of the user's own containers is touched: their locks neither.
    const engine = ['lock_type = "file"', 'cgroup_manager = "cgroupfs"', 'events_logger = "none"', 'runtime = "runc"'];
    writeFileSync(dir.join("containers.conf"), `[engine]\n${engine.join("\n")}\n`);
    const options = ["storage", "run", "tmp"].map((name) => dir.join(name));
    const [storage = "", run = "", tmp = ""] = options;
    this.#own = ["podman", "--root", storage, "--runroot", run, "--tmpdir", tmp, "--storage-driver", "vfs"];
  }

  get env(): Readonly<Record<string, string>> {
    return { PATH: process.env["PATH"] ?? "", CONTAINERS_CONF: this.#dir.join("containers.conf") };
  }

  /** Runs until it is removed. Throws with what Podman said. */
  async start(home: string): Promise<void> {
    const seen = new Set([ROOT, dirname(PROGRAM), dirname(realpathSync(process.execPath)), dirname(process.execPath)]);
    const read = [...seen].filter((path) => !path.startsWith("/usr/")).flatMap((path) => mount(path, "ro"));
    const limits = ["nofile=1024:1024", "nproc=1024:1024"].flatMap((limit) => ["--ulimit", limit]);
    await this.#run(
      ...["run", "--detach", "--name", NAME, "--network", "none", ...limits],
      ...[...mount("/usr", "ro"), ...mount("/etc/passwd", "ro"), ...read, ...mount(home, "rw")],
      ...["--rootfs", this.#dir.join("root"), "/bin/sh", "-c", "while :; do sleep 1000 & wait; done"],
    );
  }

  /** The command that leads into it. */
  exec(env: Readonly<Record<string, string>>, ...words: readonly string[]): readonly string[] {
    const variables = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
    return [...this.#own, "exec", "-i", ...variables, NAME, ...words];
  }

  kill(pid: number): void {
    Bun.spawnSync([...this.exec({}, "/bin/sh", "-c", `kill -9 ${pid}`)], { env: this.env });
  }

  /** With everything that runs in it. */
  async remove(): Promise<void> {
    await this.#run("rm", "--force", "--ignore", "--time", "0", NAME);
  }

  async #run(...words: readonly string[]): Promise<void> {
    const child = Bun.spawn([...this.#own, ...words], {
      ...{ env: this.env, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
    });
    const said = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new PodmanError(said.trim().split("\n").at(-1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
    await this.#dir[Symbol.asyncDispose]();
  }
}

/** Why no container runs here; null if one does. */
async function reasonAgainst(): Promise<string | null> {
  const missing = ["podman", "runc"].find((name) => Bun.which(name) === null);
  if (missing !== undefined) return `${missing} is not installed`;
  await using dir = await tempDir();
  await using podman = new Podman(await tempDir());
  try {
    await podman.start(dir.path);
    return null;
  } catch (error) {
    if (!(error instanceof PodmanError)) throw error;
    return `no container starts: ${error.message}`;
  }
}

const WHY_NOT = await reasonAgainst();
const WHERE =
  WHY_NOT === null ? "in a real container of Podman" : `in a real container of Podman (skipped: ${WHY_NOT})`;

describe.skipIf(WHY_NOT !== null)(`[SC-32] a place ${WHERE}`, () => {
  let at: Machine;
  let podman: Podman;
  let setting: Place;

  beforeAll(async () => {
    at = await machine();
    podman = new Podman(await tempDir());
    await podman.start(at.home);
    const env = { HOME: at.home, PATH: "/usr/local/bin:/usr/bin:/bin", ...at.processes.env };
    setting = { ...SHARED, kind: "command", command: podman.exec(env, ...START, "runner") };
  });
  afterAll(async () => {
    await podman[Symbol.asyncDispose]();
    await at[Symbol.asyncDispose]();
  });

  it(
    "[SC-27] carries agents and files; no line is lost or doubled when it is cut",
    async () => {
      await carriesAgents(at, at.link({ setting, env: podman.env }), (pid) => podman.kill(pid));
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-26] [SC-33] has changes, checkpoints, terminals and worktrees",
    async () => {
      const link = at.link({ setting, epoch: 2, env: podman.env });
      await hasWorkspace(at, link);
      await hasWorktrees(at, link);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-29] [SC-34] keeps its agents for the next server, has no network, and leaves nothing when it is removed",
    async () => {
      at.lines.length = 0;
      const first = at.link({ setting, epoch: 3, env: podman.env });
      at.start(first, "three", "/bin/sh", "-c", `cat /proc/net/route | wc -l; ls /root 2>/dev/null; ${ECHO}`);
      await at.said("ready");
      expect(at.lines).toEqual(["1", "ready"]);
      first.end();
      const [left, ...others] = await at.link({ setting, epoch: 4, env: podman.env }).survivors(LEFT_MS);
      expect(others).toEqual([]);
      const lines: string[] = [];
      const agent = left?.start({
        ...{ command: [], cwd: at.home, env: {}, onLine: (line) => void lines.push(line) },
        ...{ onStderr: () => undefined, onTooLong: () => undefined },
      });
      agent?.takePast();
      agent?.write("again");
      await waitFor(
        () => lines,
        (all) => all.includes("got again"),
        "the agent of the server before",
      );
      await podman.remove();
      expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
    },
    COMMANDS_TIMEOUT_MS,
  );
});
