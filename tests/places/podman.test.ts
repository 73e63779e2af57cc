import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import {
  type Box,
  boxOptions,
  describeBox,
  EMPTY,
  ENDLESS,
  execOptions,
  LINKS,
  reasonAgainst,
  runEngine,
} from "./in-container.ts";

const NAME = "liminal-box";

/** A container whose root is a folder. */
class Podman implements Box {
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

  async start(home: string): Promise<void> {
    const root = ["--rootfs", this.#dir.join("root")];
    await this.#run("run", "--detach", "--name", NAME, ...boxOptions(home), ...root, ...ENDLESS);
  }

  exec(env: Readonly<Record<string, string>>, ...words: readonly string[]): readonly string[] {
    return [...this.#own, "exec", "-i", ...execOptions(env), NAME, ...words];
  }

  async remove(): Promise<void> {
    await this.#run("rm", "--force", "--ignore", "--time", "0", NAME);
  }

  async #run(...words: readonly string[]): Promise<void> {
    await runEngine([...this.#own, ...words], this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
    await this.#dir[Symbol.asyncDispose]();
  }
}

const open = async (): Promise<Box> => new Podman(await tempDir());
const missing = ["podman", "runc"].find((name) => Bun.which(name) === null);
const WHY_NOT = missing === undefined ? await reasonAgainst(open) : `${missing} is not installed`;

describeBox("Podman", WHY_NOT, open);
