import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findMarked, killMarked } from "../../scripts/test/marked-processes.ts";
import { START } from "../support/test-server.ts";
import { objectsIn, type Played, POD_MARKER, writeWhole } from "./played-objects.ts";

interface PlayedOptions {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Of all pods; each has its own without it. */
  readonly home?: string;
}

/**
 * A cluster that is a folder, and the `kubectl` that leads to it: what runs in its pods is real, and only the cluster is
 * played. Pods share the disk of this machine, as those do that mount one volume.
 */
export class PlayedCluster implements Disposable {
  readonly #options: PlayedOptions;
  /** Goes before PATH. */
  readonly bin: string;

  constructor(options: PlayedOptions) {
    this.#options = options;
    const { dir } = options;
    this.bin = join(dir, "bin");
    const inPods = join(dir, "in-pods");
    for (const path of [this.bin, inPods]) mkdirSync(path, { recursive: true });
    const kubectl = [process.execPath, join(import.meta.dirname, "programs/kubectl.ts"), dir];
    writeProgram(join(this.bin, "kubectl"), kubectl);
    writeProgram(join(inPods, "liminal"), [...START]);
    this.refuse({});
  }

  /** From now on, requests that begin with these words print this instead of doing anything. */
  refuse(refuse: Readonly<Record<string, string>>): void {
    const { dir, env, home = null } = this.#options;
    const PATH = `${join(dir, "in-pods")}:/usr/local/bin:/usr/bin:/bin`;
    writeWhole(join(dir, "settings.json"), JSON.stringify({ env: { ...env, PATH }, home, refuse }));
  }

  get pods(): readonly Played[] {
    return objectsIn(join(this.#options.dir, "pods"));
  }

  get claims(): readonly Played[] {
    return objectsIn(join(this.#options.dir, "claims"));
  }

  /** What `kubectl` was asked, word by word. */
  get said(): readonly string[] {
    const path = join(this.#options.dir, "said.log");
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  }

  /** How many processes run in it. */
  running(pod: Played): number {
    return findMarked(POD_MARKER, join(this.#options.dir, "pods", pod.metadata.name)).length;
  }

  [Symbol.dispose](): void {
    for (const pod of this.pods) killMarked(findMarked(POD_MARKER, join(this.#options.dir, "pods", pod.metadata.name)));
  }
}

function writeProgram(path: string, words: readonly string[]): void {
  writeFileSync(path, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
  chmodSync(path, 0o755);
}
