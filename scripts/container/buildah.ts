import { join } from "node:path";
import { runTool } from "../install/run-tool.ts";

/** Buildah with images and containers of its own, invisible to others. */
export class Buildah {
  readonly #storage: readonly string[];
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")];
  }

  /** The whole command, for one that is not awaited. */
  command(...words: string[]): string[] {
    return ["buildah", ...this.#storage, ...words];
  }

  /** Its output; throws with the output if it failed. */
  async run(...words: string[]): Promise<string> {
    const { code, stdout, output } = await runTool(this.command(...words), { cwd: this.#folder, env: {} });
    if (code !== 0) throw new Error(`buildah ${words.join(" ")} ended with ${code}: ${output.slice(-3_000)}`);
    return stdout.trim();
  }

  /** Ends every mount, so that its folder can be removed. */
  async clear(): Promise<void> {
    await this.run("rm", "--all");
    await this.run("rmi", "--all", "--force");
  }
}
