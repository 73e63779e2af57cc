import { mkdirSync, symlinkSync } from "node:fs";
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

/** A container of the user's own daemon, under a name that nobody else has. */
class Docker implements Box {
  readonly #dir: TempDir;
  readonly #name = `liminal-box-${crypto.randomUUID()}`;
  /** Whatever leads to that daemon. */
  readonly env: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value = ""]) =>
      /^(?:PATH|HOME|DOCKER_.+)$/.test(name) ? [[name, value]] : [],
    ),
  );

  constructor(dir: TempDir) {
    this.#dir = dir;
    for (const name of EMPTY) mkdirSync(dir.join("root", name), { recursive: true });
    for (const name of LINKS) symlinkSync(`usr/${name}`, dir.join("root", name));
  }

  async start(home: string): Promise<void> {
    const packed = Bun.spawnSync(["tar", "-C", this.#dir.join("root"), "-c", "."]);
    await runEngine(["docker", "import", "-", this.#name], { env: this.env, stdin: packed.stdout });
    await this.#run("run", "--detach", "--name", this.#name, ...boxOptions(home), this.#name, ...ENDLESS);
  }

  exec(env: Readonly<Record<string, string>>, ...words: readonly string[]): readonly string[] {
    return ["docker", "exec", "-i", ...execOptions(env), this.#name, ...words];
  }

  async remove(): Promise<void> {
    // What is not there any more is no error.
    await this.#run("rm", "--force", this.#name);
    await this.#run("rmi", "--force", this.#name);
  }

  async #run(...words: readonly string[]): Promise<void> {
    await runEngine(["docker", ...words], this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
    await this.#dir[Symbol.asyncDispose]();
  }
}

const open = async (): Promise<Box> => new Docker(await tempDir());
const hasDaemon = () => Bun.spawnSync(["docker", "version"]).success;

async function whyNot(): Promise<string | null> {
  if (Bun.which("docker") === null) return "docker is not installed";
  return hasDaemon() ? reasonAgainst(open) : "no daemon of docker answers";
}

describeBox("Docker", await whyNot(), open);
