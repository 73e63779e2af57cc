import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Buildah } from "./buildah.ts";

/** The image's user, who owns the mounted folders. */
const USER_ID = 1_000;
const LOOK_MS = 100;
const START_LOOKS_MAX = 600;

interface ImageConfig {
  readonly Entrypoint: string[];
  readonly Cmd: string[];
  readonly User: string;
}

/** A container of the image with folders of this machine as its volumes, run as the image specifies. */
export class Container implements AsyncDisposable {
  readonly #buildah: Buildah;
  readonly #image: string;
  readonly #folder: string;
  readonly #isolation: readonly string[];
  /** In the environment of every process in it. */
  readonly #mark = `LIMINAL_CONTAINER_MARK=${crypto.randomUUID()}`;
  #process: Bun.Subprocess | null = null;

  constructor(buildah: Buildah, image: string, folder: string) {
    this.#buildah = buildah;
    this.#image = image;
    this.#folder = folder;
    // With runc, its processes have a tree of their own, and end with it. Without, they have only a root of their own.
    this.#isolation = Bun.which("runc") ? ["--isolation", "oci", "--runtime", "runc"] : ["--isolation", "chroot"];
  }

  get isolation(): string {
    return this.#isolation[1] === "oci" ? "runc" : "chroot";
  }

  /** Starts it; returns the address and the token of its server. */
  async start(): Promise<{ readonly origin: string; readonly token: string }> {
    for (const name of ["data", "projects"]) {
      await mkdir(join(this.#folder, name), { recursive: true });
      await chown(join(this.#folder, name), USER_ID, USER_ID);
    }
    const { Entrypoint, Cmd, User } = await this.#config();
    const container = await this.#buildah.run("from", "--pull-never", this.#image);
    const volumes = ["data", "projects"].flatMap((name) => ["--volume", `${join(this.#folder, name)}:/${name}`]);
    // Its network is this machine's, so it looks for a free port.
    const env = ["--env", this.#mark, "--env", "LIMINAL_PORT=0"];
    const options = [...this.#isolation, "--network", "host", "--user", User, ...volumes, ...env];
    const before = this.#serverFile();
    this.#process = Bun.spawn(this.#buildah.command("run", ...options, container, "--", ...Entrypoint, ...Cmd), {
      stdio: ["ignore", "inherit", "inherit"],
    });
    for (let look = 0; look < START_LOOKS_MAX && this.#process.exitCode === null; look += 1) {
      const now = this.#serverFile();
      if (now !== "" && now !== before) {
        const { port } = JSON.parse(now);
        return { origin: `http://127.0.0.1:${port}`, token: readFileSync(this.#path("data/token"), "utf8").trim() };
      }
      await Bun.sleep(LOOK_MS);
    }
    throw new Error("the server in the container did not start");
  }

  /** As when the machine loses power: without any notice. */
  async killServer(): Promise<void> {
    const { pid } = JSON.parse(this.#serverFile());
    const server = this.#processes().find((process) => process.insideId === pid);
    if (server === undefined) throw new Error(`the server is not among the processes of the container`);
    process.kill(server.id, "SIGKILL");
    await this.#process?.exited;
  }

  /** The signal of `docker stop`. Resolves when the container has ended. */
  async stop(): Promise<void> {
    const first = this.#processes().sort((one, other) => one.insideId - other.insideId)[0];
    if (first !== undefined) process.kill(first.id, "SIGTERM");
    await this.#process?.exited;
  }

  /** Those of the image still running. */
  get running(): number {
    return this.#processes().length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { id } of this.#processes()) process.kill(id, "SIGKILL");
    await this.#process?.exited;
  }

  async #config(): Promise<ImageConfig> {
    const inspected = await this.#buildah.run("inspect", "--type", "image", this.#image);
    return JSON.parse(inspected).OCIv1.config;
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  #serverFile(): string {
    const file = this.#path("data/server.json");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  /** Each with its outer id and its id inside. Buildah itself has no mark in its environment. */
  #processes(): { readonly id: number; readonly insideId: number }[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          if (!readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(this.#mark)) return [];
          const [, ids = name] = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8")) ?? [];
          return [{ id: Number(name), insideId: Number(ids.split(/\s+/).at(-1)) }];
        } catch {
          return []; // It has just ended.
        }
      });
  }
}
