import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** The usual terminal library of Node, in a build that needs no compiler. */
const SPEC = "@lydell/node-pty@1.1.0";
const READER = fileURLToPath(new URL("../programs/node-pty-reader.mjs", import.meta.url));

const Read = z.object({ ms: z.number(), bytes: z.number() });

/** Reads the output of a command with node-pty on Node: a program without a holder and a server. */
export class NodePty {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Null if npm cannot install it. */
  static async install(folder: string): Promise<NodePty | null> {
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
    const child = Bun.spawn(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", SPEC], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
    return (await child.exited) === 0 ? new NodePty(folder) : null;
  }

  async readMs(command: string, bytesMin: number): Promise<number> {
    const child = Bun.spawn(["node", READER, this.#folder, command], { stdio: ["ignore", "pipe", "inherit"] });
    const { ms, bytes } = Read.parse(JSON.parse(await new Response(child.stdout).text()));
    if (bytes < bytesMin) throw new Error(`only ${bytes} of ${bytesMin} bytes arrived`);
    return ms;
  }
}
